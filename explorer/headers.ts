/** Headers of the static files, in the format of Cloudflare's `_headers`. */

/** The explorer runs only its own files and sends requests only to its own Worker. */
const EXPLORER_POLICY = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "font-src": "'self'",
  "img-src": "'self' data:",
  "connect-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
};

/** Any page may show an embedded chart. It has no key but the public one, and nothing to click that changes anything. */
const EMBED_POLICY = { ...EXPLORER_POLICY, "frame-ancestors": "*" };

/** Scalar adds its style sheet from JavaScript. */
const DOCS_POLICY = { ...EXPLORER_POLICY, "style-src": "'self' 'unsafe-inline'", "font-src": "'self' data:" };

export function headers(): string {
  return `/*
  Content-Security-Policy: ${policy(EXPLORER_POLICY)}
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
  Cross-Origin-Opener-Policy: same-origin
/docs
  ! Content-Security-Policy
  Content-Security-Policy: ${policy(DOCS_POLICY)}
/embed
  ! Content-Security-Policy
  Content-Security-Policy: ${policy(EMBED_POLICY)}
/static/*
  Cache-Control: public, max-age=31536000, immutable
`;
}

function policy(directives: Record<string, string>): string {
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join("; ");
}
