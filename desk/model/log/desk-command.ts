import type { AlarmRule, SuspensionMinutes } from '../alarms/alarm.ts';
import type { Mark, TakeBackReason } from './flow-log.ts';

/**
 * A command of a desk, as on the wire. `id` is a UUID from the page, which becomes the entry's id: a repeated command is
 * written once. `sector` is a row's code, '' for the others, null for the whole event. `seenSeq` is the `seq` of the newest row
 * when the operator gave it: what has been ended since stays ended. Older desks omit it.
 */
export type DeskCommand = { readonly id: string; readonly seenSeq?: number } & (
  | {
      readonly kind: 'mark';
      readonly sector: string | null;
      readonly mark: Mark;
      /** Older desks omit it: the mark holds from now on. */
      readonly sinceMs?: number;
      /** The estimate of people who have passed unread so far. */
      readonly estimate?: { readonly count: number; readonly how: string };
      /** The id of the alarm from whose card the mark is set; the mark acknowledges it. */
      readonly alarm?: string;
    }
  /** `mark` is the id of a mark's entry, active or ended. */
  | { readonly kind: 'estimate'; readonly mark: string; readonly count: number; readonly how: string }
  | {
      readonly kind: 'kick-off';
      readonly kickOffAtMs: number;
      /** The kick-off that the operator saw: one that was changed since stays. Older desks omit it. */
      readonly fromMs?: number | null;
    }
  | { readonly kind: 'entry-closed' }
  | { readonly kind: 'evacuation' }
  | { readonly kind: 'occurrence'; readonly sector: string | null; readonly text: string }
  /** `entryId` is the id of the entry to take back. Only marks have `why`, which older desks omit. */
  | { readonly kind: 'take-back'; readonly entryId: string; readonly why?: TakeBackReason }
  | { readonly kind: 'acknowledge'; readonly alarm: string; readonly note: string | null }
  | {
      readonly kind: 'suspend';
      readonly rule: AlarmRule;
      readonly sector: string | null;
      readonly minutes: SuspensionMinutes;
      readonly reason: string;
    }
);

export type CommandRefusal =
  /** The log has its `id` with other contents. */
  | 'id-in-use'
  /** Another operator has signed in since. */
  | 'other-operator'
  /** The command is too old: its operator no longer expects it to take effect. */
  | 'too-late'
  /** The log already holds what it sets. */
  | 'in-force'
  | 'before-gates-open'
  /** The operator saw another kick-off than the one that is in force. */
  | 'changed'
  /** The same was in force after the operator gave it, and has been ended. */
  | 'ended'
  | 'no-such-entry'
  /** Entries of this kind cannot be taken back. */
  | 'permanent'
  | 'taken-back'
  | 'no-such-alarm'
  | 'acknowledged'
  /** The alarm is neither active nor unacknowledged; one that is not active cannot be suspended. */
  | 'over';
