import type { DeskCommand } from '../model/log/desk-command.ts';
import type { DeskState } from '../model/desk-state.ts';
import type { LogRow } from '../model/log/flow-log.ts';
import type { Minute } from '../model/series/minute.ts';
import type { ShownSector } from '../../domain/shown-venue.ts';
import type { Status } from '../../page/trust/status.ts';

/**
 * The data that the desk draws; its parts are functions of it, and draw the present and a recorded minute alike.
 */
export interface DeskView {
  readonly state: DeskState;
  /** The known minutes, in order. */
  readonly minutes: readonly Minute[];
  /** The whole log, in order. */
  readonly log: readonly LogRow[];
  /** The venue's rows in order; `state.rows` has one more, the others, at its end. */
  readonly sectors: readonly ShownSector[];
  /** The text of the walls during an evacuation, if any. */
  readonly evacuationText?: string | undefined;
  /** Whether the numbers can be trusted. Unless it is `live`, no rate, range or sector's state is displayed. */
  readonly status: Status;
  /** Recorded commands that the current server's log does not have. */
  readonly missing?: readonly MissingCommand[];
  /** The end of a recorded minute; null for the present. */
  readonly replay: { readonly atMs: number } | null;
}

/** A command as it is given; what names and dates it is added when it is first sent. */
export type NewCommand = DeskCommand extends infer C
  ? C extends DeskCommand
    ? Omit<C, 'id' | 'seenSeq'>
    : never
  : never;

export type CommandOutcome =
  | { readonly kind: 'recorded' }
  /** The server refused the command; `message` has the reason in Portuguese. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The outcome is unknown; a `retry` records the command at most once. */
  | {
      readonly kind: 'unsent';
      readonly message: string;
      /** The time of the desk's clock. */
      readonly givenAt: string;
      readonly retry: () => Promise<CommandOutcome>;
      /** Resolves if the entry turns up in the log; a `retry` then succeeds. */
      readonly found: Promise<void>;
    };

/** A command that is not in the log of a database that replaced the one that recorded it. */
export interface MissingCommand {
  readonly command: NewCommand & { readonly id: string };
  /** The time of the desk's clock. */
  readonly givenAt: string;
  /** Sends the command again; it is recorded at most once. */
  readonly retry: () => void;
  /** Forgets the command. */
  readonly drop: () => void;
}

/** Never rejects. */
export type SendCommand = (command: NewCommand) => Promise<CommandOutcome>;
