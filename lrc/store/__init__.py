"""What is kept between runs, outside the reviewed repository."""
