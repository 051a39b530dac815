"""Security headers of every response, and the content security policy that needs no outside host."""

from __future__ import annotations

from functools import cache

import dash
from flask import Response

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def secure(app: dash.Dash) -> None:
    """Add the security headers to every response of `app`.

    Dash starts its renderer with inline scripts; the policy names them by hash, and no other one runs. The
    hashes are complete once Dash has set up its pages, before it answers the first request. Styles may be
    inline because plotly and the table write them.
    """

    @cache
    def policy() -> str:
        return "; ".join(
            (
                "default-src 'self'",
                f"script-src 'self' {' '.join(app.csp_hashes())}",
                "style-src 'self' 'unsafe-inline'",
                "img-src 'self' data: blob:",
                "font-src 'self' data:",
                "object-src 'none'",
                "base-uri 'self'",
                "form-action 'self'",
                "frame-ancestors 'self'",
            )
        )

    def add(response: Response) -> Response:
        response.headers.update(_HEADERS)
        response.headers["Content-Security-Policy"] = policy()
        response.headers.setdefault("Cache-Control", "no-cache")  # whatever does not say that it may be kept
        return response

    app.server.after_request(add)
