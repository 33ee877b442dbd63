import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../database/embedded/free-port.ts';
import { OperatorError } from '../../../domain/operator-error.ts';
import { startService } from './service-process.ts';

/** Google's Firestore emulator, empty at first. Its documents are gone when it stops. */
export interface Emulator {
  /** `host:port`, as FIRESTORE_EMULATOR_HOST names it. */
  readonly host: string;
  /** Resolves once it has ended, with the end of what it wrote. */
  readonly ended: Promise<string>;
  /** Replaces the security rules of a project. @throws OperatorError with what is wrong with them */
  setRules(project: string, rules: string): Promise<void>;
  stop(): Promise<void>;
}

/** It needs less memory than it would take by itself. */
const JAVA_OPTIONS = ['-XX:+UseSerialGC', '-Xmx768m'];

/** `command` runs it, as tools/firestore-emulator.mjs finds it. */
export async function startEmulator(command: readonly string[], signal: AbortSignal): Promise<Emulator> {
  const [java = '', ...main] = command;
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  // It leaves a log in the folder that it is started in.
  const folder = await mkdtemp(join(tmpdir(), 'triagem-emulator-'));
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const service = await startService({
      name: 'The Firestore emulator',
      command: [java, ...JAVA_OPTIONS, ...main, '--host=127.0.0.1', `--port=${port}`],
      cwd: folder,
      url: `http://${host}/`,
      stopSignal: 'SIGKILL',
      signal,
    });
    return {
      host,
      ended: service.ended,
      setRules: (project, rules) => setRules(host, project, rules),
      async stop() {
        await service.stop();
        await removeFolder();
      },
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

async function setRules(host: string, project: string, content: string): Promise<void> {
  const answer = await fetch(`http://${host}/emulator/v1/projects/${project}:securityRules`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: 'Bearer owner' },
    body: JSON.stringify({ rules: { files: [{ name: 'firestore.rules', content }] } }),
  });
  if (!answer.ok) throw new OperatorError(`The emulator refuses the rules: ${await answer.text()}`);
}
