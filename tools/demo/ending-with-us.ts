import { existsSync } from 'node:fs';

/** Returns a command prefix that kills the program when this process ends, however that happens; on Linux only. */
export function endingWithUs(): readonly string[] {
  const program = '/usr/bin/setpriv';
  return process.platform === 'linux' && existsSync(program) ? [program, '--pdeathsig', 'KILL'] : [];
}
