"""Fewer digits for files of rows, which the scripts of recurrent layers and of attention share."""


def short(value):
    """Seven digits of each number, which is what float32 has."""
    if isinstance(value, dict):
        return {k: short(v) for k, v in value.items()}
    if isinstance(value, list):
        return [short(v) for v in value]
    return float(f"{value:.7g}") if isinstance(value, float) else value
