"""The one door to Ray: a cluster joined, or one made on this machine."""

from __future__ import annotations

from typing import Any

from service.errors import ServiceError


def joined(address: str | None, *, cores: float) -> Any:
    """The module `ray`, joined to a cluster.

    Args:
        address: of the cluster (`ray://host:port`, `auto`); None makes one on this machine.
        cores: that a cluster made here offers.

    Raises:
        ServiceError: Ray is not installed, or the cluster cannot be reached.
    """
    try:
        import ray
    except ImportError as error:
        raise ServiceError("Ray is not installed", do="Install it with: pip install 'pitwatch[cluster]'") from error
    if not ray.is_initialized():
        try:
            options: dict[str, Any] = {"log_to_driver": False, "include_dashboard": False, "configure_logging": False}
            if address is None:
                ray.init(num_cpus=max(1, round(cores)), **options)
            else:
                ray.init(address=address, log_to_driver=False)
        except (ConnectionError, ValueError, OSError) as error:
            raise ServiceError(f"the cluster cannot be reached ({error})", where=address, do="Start it with: ray start --head") from error  # fmt: skip
    return ray
