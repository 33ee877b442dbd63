import { freePort } from '../../../database/embedded/free-port.ts';
import { OperatorError } from '../../../domain/operator-error.ts';
import { startService } from './service-process.ts';

/** Google's Firestore emulator. Its documents are gone when it stops. */
export interface Emulator {
  /** The address in the form of FIRESTORE_EMULATOR_HOST. */
  readonly host: string;
  /** Resolves once it has ended, with the end of its output. */
  readonly ended: Promise<string>;
  /** Replaces the security rules of a project. @throws OperatorError with their faults */
  setRules(project: string, rules: string): Promise<void>;
  stop(): Promise<void>;
}

/** The defaults would take more memory than the demo needs. */
const JAVA_OPTIONS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx768m'];

/** `command` comes from tools/firestore-emulator.mjs. */
export async function startEmulator(command: readonly string[], signal: AbortSignal): Promise<Emulator> {
  const [java = '', ...main] = command;
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const service = await startService({
    name: 'The Firestore emulator',
    command: [java, ...JAVA_OPTIONS, ...main, '--host=127.0.0.1', `--port=${port}`],
    url: `http://${host}/`,
    stopSignal: 'SIGKILL',
    signal,
  });
  return { ...service, host, setRules: (project, rules) => setRules(host, project, rules) };
}

async function setRules(host: string, project: string, content: string): Promise<void> {
  const answer = await fetch(`http://${host}/emulator/v1/projects/${project}:securityRules`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: 'Bearer owner' },
    body: JSON.stringify({ rules: { files: [{ name: 'firestore.rules', content }] } }),
  });
  if (!answer.ok) throw new OperatorError(`The emulator refuses the rules: ${await answer.text()}`);
}
