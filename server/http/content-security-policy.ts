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

/** The policy's text. `inlineScripts`: the hashes of the scripts that may stand in the page, `'sha256-…'`. */
export function formatPolicy(inlineScripts: readonly string[], own: ContentSecurityPolicy = {}): string {
  const policy = { ...STRICT, ...own };
  return Object.entries(policy)
    .map(([name, sources]) => [name, ...sources, ...(name === 'script-src' ? inlineScripts : [])].join(' '))
    .join(';');
}
