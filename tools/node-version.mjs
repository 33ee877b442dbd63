/**
 * @param {string} range the `engines.node` of package.json: ">=20.19.0"
 * @throws {Error} that says what to install
 */
export function assertNodeVersion(range) {
  const needed = range.replace('>=', '').split('.').map(Number);
  const present = process.versions.node.split('.').map(Number);
  const differing = needed.findIndex((part, index) => part !== present[index]);
  if (differing === -1 || present[differing] > needed[differing]) return;
  throw new Error(
    `Triagem needs Node ${range.replace('>=', '')} or newer; this is Node ${process.versions.node}.`,
  );
}
