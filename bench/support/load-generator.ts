import type { Scope } from '../benchmark.ts';
import { startProgram } from './child-program.ts';

/** Gates that write, in a process of their own, so that what they cost is not the server's. */
export interface LoadGenerator {
  /** Lets holders in by one commit each; one run at a time. */
  run(load: LoadRun): Promise<LoadReport>;
  /** What the machine's clock says in that process. */
  readonly clockMs: () => Promise<number>;
}

export interface LoadRun {
  /** Tickets from this number on have not entered. */
  readonly firstTicket: number;
  /** The run ends early when they are used up. */
  readonly lastTicket: number;
  readonly durationMs: number;
  /** How many holders come; absent: as many as the gates can take. */
  readonly perSecond?: number | undefined;
}

export interface LoadReport {
  /** When each commit was acknowledged to its gate, by the machine's clock, in this order. */
  readonly acknowledgedAtMs: readonly number[];
  /** Of each: from the holder's coming to the acknowledgement. */
  readonly latenciesMs: readonly number[];
  readonly elapsedMs: number;
}

/** Resolves once every gate is connected. */
export async function startLoadGenerator(
  scope: Scope,
  gatesUrl: string,
  gates: number,
): Promise<LoadGenerator> {
  const program = startProgram(scope, 'load-generator-process.js', [gatesUrl, String(gates)]);
  await program.call('connect');
  return {
    run: (load) => program.call('run', load),
    clockMs: () => program.call('clockMs'),
  };
}
