import { createRsbuild, loadConfig, mergeRsbuildConfig } from '@rsbuild/core';
import { pino } from 'pino';
import { CommandLineEnd, readCommandLine } from '../server/command-line.ts';
import { readConfig } from '../server/config.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { assertCanListen } from '../server/listening.ts';
import { startAllInOne } from '../server/roles/all-in-one.ts';

/**
 * `npm run dev` serves the pages from their sources, with hot reload, in front of a real server. `npm run -s gates --
 * simulate` in another terminal adds spectators.
 */

const HELP = `Usage: npm run dev

The screen from its sources, with hot reload, in front of a real server; at /gallery, every state of the desk without one.
It takes no arguments: its settings are those
of npm start, environment variables that docs/reference.md lists ("Settings").
`;

async function develop(): Promise<void> {
  readCommandLine(process.argv.slice(2), { program: 'npm run dev', help: HELP, options: {} });
  const config = readConfig(process.env);
  const { host, port } = config;
  // The server behind it gets another port.
  await assertCanListen([{ host, port, prefix: '' }]);
  const log = pino({ base: null, level: 'warn' });
  const triagem = await startAllInOne({ ...config, port: 0 }, log);
  const { content } = await loadConfig();
  const proxy = { '/api': triagem.url, '/config.json': triagem.url, '/fluxo/api': triagem.url };
  const rsbuild = await createRsbuild({
    config: mergeRsbuildConfig(content, { server: { host, port, strictPort: true, proxy } }),
  });
  const { server } = await rsbuild.startDevServer();
  // Rsbuild would end the process before the database has been stopped.
  process.removeAllListeners('SIGTERM');
  process.stdin.removeAllListeners('end');
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      void Promise.all([server.close(), triagem.stop()]).then(() => process.exit(0));
    });
  }
}

try {
  await develop();
} catch (error) {
  if (error instanceof CommandLineEnd) process.exit(error.say());
  console.error(error instanceof OperatorError ? error.message : error);
  process.exit(1);
}
