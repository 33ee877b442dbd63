/**
 * @param {string} range the `engines.node` of package.json: ">=20.19.0"
 * @throws {Error} that says what to install
 */
export function assertNodeVersion(range) {
  const needed = range.replace('>=', '');
  const present = process.versions.node;
  if (present.localeCompare(needed, 'en', { numeric: true }) >= 0) return;
  throw new Error(`Triagem needs Node ${needed} or newer; this is Node ${present}.`);
}
