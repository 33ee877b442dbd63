import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.mjs';

/** @throws {Error} that says what to install, on a Node older than package.json asks for */
export function assertNodeVersion() {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const needed = engines.node.replace('>=', '');
  const present = process.versions.node;
  if (present.localeCompare(needed, 'en', { numeric: true }) >= 0) return;
  throw new Error(`Triagem needs Node ${needed} or newer; this is Node ${present}.`);
}
