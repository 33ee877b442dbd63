import type { ChildProcess } from 'node:child_process';
import type { Venue } from '../../domain/venue.ts';
import type { Config } from '../../server/config.ts';
import type { Overrides, Triagem } from '../../server/roles/triagem.ts';

/** The tickets of a demo, in PostgreSQL or Firestore, and the spectators who mark them. */
export interface DemoTickets {
  /** The settings of the board. */
  readonly config: Config;
  readonly overrides: Pick<Overrides, 'onDatabase'>;
  /** Is printed below the addresses of the board. */
  readonly description: string;
  /** A hint for the case that the spectators fail. */
  readonly remedy: string;
  /** Starts the spectators. They send `GatesOpen` (gates/simulator/simulate.ts) when the gates open. */
  admit(board: Triagem): ChildProcess;
  /** Stores the times of the match. `gatesOpenMs` is in Unix milliseconds of the match's clock. */
  setGatesOpen(gatesOpenMs: number): Promise<void>;
  /** Stops the services of the tickets, after the board and the spectators. */
  stop(): Promise<void>;
}

export interface DemoTicketsOptions {
  readonly speed: string;
  /** Returns incidents in the grammar of --incident. @throws CommandLineEnd for impossible ones */
  readonly incidentsAt: (venue: Venue) => readonly string[];
  /** Its abort ends a start that is under way. */
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/** The default of EVENT_TITLE. */
export const DEMO_TITLE = 'Palestra × Atlético';
