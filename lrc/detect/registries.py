"""Which hosts are the official package registries, by the domain that only their owners can name hosts under."""

_BY_ENDING = {
    "org": "pypi pythonhosted npmjs rubygems maven sonatype apache gradle nuget golang packagist pytorch",
    "com": "yarnpkg github gitlab sonatype google sheetjs",
    "io": "crates jsr",
}
_DOMAINS = frozenset(f"{name}.{ending}" for ending, names in _BY_ENDING.items() for name in names.split())


def is_official(host: str) -> bool:
    """True for a host of an official registry.

    The whole last two labels count: a host that only begins like a registry's (`NAME.org.evil.example`) is another's.
    """
    return ".".join(host.lower().rstrip(".").split(".")[-2:]) in _DOMAINS
