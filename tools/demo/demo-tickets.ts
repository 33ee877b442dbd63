import type { ChildProcess } from 'node:child_process';
import type { Venue } from '../../domain/venue.ts';
import type { Config } from '../../server/config.ts';
import type { Overrides, Triagem } from '../../server/roles/triagem.ts';

/** Where the tickets of a demonstration are, and who marks them. */
export interface DemoTickets {
  /** The settings of the board that shows them. */
  readonly config: Config;
  /** What the board is started with besides. */
  readonly overrides: Pick<Overrides, 'onDatabase'>;
  /** What is printed about them, beside the addresses of the board. */
  readonly description: string;
  /** What helps where the spectators have failed. */
  readonly remedy: string;
  /** Has the spectators come; they send `GatesOpen` (gates/simulator/simulate.ts) when the gates open. */
  admit(board: Triagem): ChildProcess;
  /** Sets when the gates opened, by the clock of the match (Unix time, milliseconds), and when the match begins. */
  setGatesOpen(gatesOpenMs: number): Promise<void>;
  /** Ends everything that was started for them but the spectators; the board has been stopped. */
  stop(): Promise<void>;
}

export interface DemoTicketsOptions {
  /** Times faster than real life, as it was given. */
  readonly speed: string;
  /** What goes wrong at this venue, as --incident names it. @throws CommandLineEnd for what cannot be */
  readonly incidentsAt: (venue: Venue) => readonly string[];
  /** Ends a start that is under way. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** The title of the demonstration's match, where EVENT_TITLE gives no other. */
export const DEMO_TITLE = 'Palestra × Atlético';
