/** Sources by directive (CSP level 3). */
export type ContentSecurityPolicy = Readonly<Record<string, readonly string[]>>;

/** A page loads from its own origin only, and nobody frames it. */
const STRICT: ContentSecurityPolicy = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'font-src': ["'self'"],
  'img-src': ["'self'"],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** The policy's text. `inline`: the hashes of what may stand in the page itself, `'sha256-…'`. */
export function formatPolicy(
  inline: { readonly scripts: readonly string[]; readonly styles: readonly string[] },
  own: ContentSecurityPolicy = {},
): string {
  const hashes: ContentSecurityPolicy = { 'script-src': inline.scripts, 'style-src': inline.styles };
  return Object.entries({ ...STRICT, ...own })
    .map(([name, sources]) => [name, ...sources, ...(hashes[name] ?? [])].join(' '))
    .join(';');
}
