"""Text that tries to be HTML, script, style or an address: `PAYLOADS`, over 120 strings."""

from collections.abc import Iterable
from itertools import product

# Nothing listens there: a page that asks for it is found out by the request alone.
NOWHERE = "http://127.0.0.1:1/x"
CALL = "alert(1)"
HANDLERS = (
    "img src=x onerror",
    "svg onload",
    "body onload",
    "video src=x onerror",
    "details open ontoggle",
    "input autofocus onfocus",
    "marquee onstart",
    "iframe onload",
)
# How an attribute, a comment, a script, a style or a text may be left.
WAYS_OUT = ("", '">', "'>", "</script>", "</style>", "</title>", "</textarea>", "-->", "]]>", "\\")
LOADERS = (
    f"<img src={NOWHERE}>",
    f"<link rel=stylesheet href={NOWHERE}>",
    f"<script src={NOWHERE}></script>",
    f"<iframe src={NOWHERE}></iframe>",
    f"<object data={NOWHERE}></object>",
    f"<embed src={NOWHERE}>",
    f"<base href={NOWHERE}/>",
    f"<meta http-equiv=refresh content='0;url={NOWHERE}'>",
    f"<form action={NOWHERE}><button autofocus>go</button></form>",
    f"<svg><image href={NOWHERE} /><use href='{NOWHERE}#a'/></svg>",
    f"<style>@import url({NOWHERE});*{{background:url({NOWHERE})}}</style>",
    f"<div style='background:url({NOWHERE})'>x</div>",
    f"<a href={NOWHERE} ping={NOWHERE}>x</a>",
    f"<audio src={NOWHERE} autoplay></audio>",
)
SWALLOWERS = (
    "<!--",
    "<![CDATA[",
    "<plaintext>",
    "<xmp>",
    "<template>",
    "<noscript>",
    "<textarea>",
    "<title>",
    "<select><option>",
    "<table><tr><td>",
    "<math><mtext>",
    "<dialog open>",
    "<bdo dir=rtl>",
    "</bdi></p></article></main>",
)
CODES = (
    f"javascript:{CALL}",
    f"JaVaScRiPt&colon;{CALL}",
    f"data:text/html,<script>{CALL}</script>",
    f"{{{{constructor.constructor('{CALL}')()}}}}",
    f"${{{CALL}}}",
    f"`${{{CALL}}}`",
    f"';{CALL}//",
    f'";{CALL}//',
    f"\\u003cscript\\u003e{CALL}\\u003c/script\\u003e",
    f"&lt;script&gt;{CALL}&lt;/script&gt;",
    f"&#60;script&#62;{CALL}",
    f"\\x3cscript>{CALL}",
    f"}}*{{background:url({NOWHERE})}}",
    f"expression({CALL})",
    f"url({NOWHERE})",
    "var(--paper)",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "#/game/x?as=*",
    "?key=x",
)


def payloads() -> Iterable[str]:
    """Handlers behind every way out, then loaders, swallowers and codes."""
    for handler, way_out in product(HANDLERS, WAYS_OUT):
        yield f"{way_out}<{handler}={CALL}>"
    yield from (f"x{way_out}<script>{CALL}</script>" for way_out in WAYS_OUT)
    yield from LOADERS
    yield from SWALLOWERS
    yield from CODES


PAYLOADS = tuple(dict.fromkeys(payloads()))
