/**
 * `node tools/bring-node.mjs WANTED` installs the project's Node, for tools/node.sh. WANTED names other suitable Nodes, for
 * the message. This file and its imports run on Node 20.
 */
import { ensureNode, PROJECT_MAJOR } from './node-releases.mjs';

try {
  await ensureNode(PROJECT_MAJOR);
} catch (error) {
  if (!error.exitCode) {
    const [, , wanted] = process.argv;
    process.stderr.write(
      `Install Node ${wanted}: this is ${process.version}, and the project's own cannot be installed here: ${error.message}\n`,
    );
  }
  process.exitCode = error.exitCode ?? 1;
}
