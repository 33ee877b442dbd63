import type { LogEntry, Mark } from './flow-log.ts';

/**
 * What a desk asks to be written into the log, as it stands on the wire. `id` is a UUID that the page makes, which becomes
 * the entry's: the same command sent again is written once. A sector is a row's code, '' the others, null the whole event.
 */
export type DeskCommand = { readonly id: string } & (
  | { readonly kind: 'mark'; readonly sector: string | null; readonly mark: Mark }
  | { readonly kind: 'kick-off'; readonly kickOffAtMs: number }
  | { readonly kind: 'entry-closed' }
  | { readonly kind: 'evacuation' }
  | { readonly kind: 'occurrence'; readonly sector: string | null; readonly text: string }
  /** `entryId`: the `id` of the entry that no longer holds. */
  | { readonly kind: 'take-back'; readonly entryId: string }
);

/** Why a command makes no sense now. */
export type CommandRefusal =
  /** Its `id` stands in the log, with another content. */
  | 'id-in-use'
  /** What it sets holds already. */
  | 'in-force'
  /** The kick-off would be before the gates open. */
  | 'before-gates-open'
  | 'no-such-entry'
  /** The entry to be taken back is one that cannot be. */
  | 'permanent'
  | 'taken-back';

/** What an entry says, beside when, by whom and with which figures. */
type EntryContent = {
  [K in LogEntry['kind']]: Pick<Extract<LogEntry, { kind: K }>, 'id' | 'sector' | 'kind' | 'data'>;
}[LogEntry['kind']];

/** What the command writes into the log. */
export function entryContent(command: DeskCommand): EntryContent {
  const { id } = command;
  switch (command.kind) {
    case 'mark':
      return { id, kind: command.kind, sector: command.sector, data: { mark: command.mark } };
    case 'kick-off':
      return { id, kind: command.kind, sector: null, data: { kickOffAtMs: command.kickOffAtMs } };
    case 'entry-closed':
    case 'evacuation':
      return { id, kind: command.kind, sector: null, data: {} };
    case 'occurrence':
      return { id, kind: command.kind, sector: command.sector, data: { text: command.text } };
    default:
      return { id, kind: command.kind, sector: null, data: { id: command.entryId } };
  }
}
