import type { DeskCommand } from '../model/log/desk-command.ts';
import type { DeskState } from '../model/desk-state.ts';
import type { LogRow } from '../model/log/flow-log.ts';
import type { Minute } from '../model/series/minute.ts';
import type { ShownSector } from '../../domain/shown-venue.ts';
import type { Status } from '../../page/trust/status.ts';

/**
 * All that the desk draws: its parts are functions of it, and of what they are pointed at. The same parts draw what is now
 * and a recorded minute.
 */
export interface DeskView {
  readonly state: DeskState;
  /** Those that are known, in order. A minute that is not known is not there. */
  readonly minutes: readonly Minute[];
  /** In their order, from the first. */
  readonly log: readonly LogRow[];
  /** The venue's rows in their order: `state.rows` has as many, and the others last. */
  readonly sectors: readonly ShownSector[];
  /** What the walls show during an evacuation; absent: nothing. */
  readonly evacuationText?: string | undefined;
  /** Whether the numbers can be trusted. Unless it is `live`, no rate, range or state of a sector is carried on. */
  readonly status: Status;
  /** Commands that were recorded, and that the log of the server that tells now does not have. */
  readonly missing?: readonly MissingCommand[];
  /** A recorded minute, as it was shown then; null: what is now. */
  readonly replay: { readonly atMs: number } | null;
}

/** A command without its id, which is made when it is first sent. */
export type NewCommand = DeskCommand extends infer C
  ? C extends DeskCommand
    ? Omit<C, 'id'>
    : never
  : never;

/** What became of a command. */
export type CommandOutcome =
  | { readonly kind: 'recorded' }
  /** It makes no sense as things stand, or is not taken: in Portuguese, why. */
  | { readonly kind: 'refused'; readonly message: string }
  /** It is not known to be recorded: sent again (by `retry`), it is written once. */
  | {
      readonly kind: 'unsent';
      readonly message: string;
      /** When it was given, as the desk's clock showed it. */
      readonly givenAt: string;
      readonly retry: () => Promise<CommandOutcome>;
      /** Resolves if it turns out to stand in the log: then `retry` says so, too. */
      readonly found: Promise<void>;
    };

/** A database has taken the place of the one that recorded it, and has not got it yet. */
export interface MissingCommand {
  readonly command: NewCommand & { readonly id: string };
  /** As the desk's clock showed it. */
  readonly givenAt: string;
  /** Sends it again: whoever else still holds it, it is recorded once. */
  readonly retry: () => void;
  /** It is not waited for any more. */
  readonly drop: () => void;
}

/** Never rejects. */
export type SendCommand = (command: NewCommand) => Promise<CommandOutcome>;
