import type { AlarmRule, SuspensionMinutes } from '../alarms/alarm.ts';
import type { Mark, TakeBackReason } from './flow-log.ts';

/**
 * What a desk asks to be written into the log, as it stands on the wire. `id` is a UUID that the page makes, which becomes
 * the entry's: the same command sent again is written once. A sector is a row's code, '' the others, null the whole event.
 */
export type DeskCommand = { readonly id: string } & (
  | {
      readonly kind: 'mark';
      readonly sector: string | null;
      readonly mark: Mark;
      /** Of older desks, absent: from now on. */
      readonly sinceMs?: number;
      /** Of those who have passed unread so far. */
      readonly estimate?: { readonly count: number; readonly how: string };
      /** The id of the alarm from whose card it is set: whoever sets it knows of that alarm. */
      readonly alarm?: string;
    }
  /** `mark`: the `id` of its entry, in force or ended. */
  | { readonly kind: 'estimate'; readonly mark: string; readonly count: number; readonly how: string }
  | { readonly kind: 'kick-off'; readonly kickOffAtMs: number }
  | { readonly kind: 'entry-closed' }
  | { readonly kind: 'evacuation' }
  | { readonly kind: 'occurrence'; readonly sector: string | null; readonly text: string }
  /** `entryId`: the `id` of the entry that no longer holds. `why`: of a mark alone; older desks do not say it. */
  | { readonly kind: 'take-back'; readonly entryId: string; readonly why?: TakeBackReason }
  /** `alarm`: its id. */
  | { readonly kind: 'acknowledge'; readonly alarm: string; readonly note: string | null }
  | {
      readonly kind: 'suspend';
      readonly rule: AlarmRule;
      readonly sector: string | null;
      readonly minutes: SuspensionMinutes;
      readonly reason: string;
    }
);

/** Why a command makes no sense now. */
export type CommandRefusal =
  /** Its `id` stands in the log, with another content. */
  | 'id-in-use'
  /** Somebody else has signed in since it was given. */
  | 'other-operator'
  /** It was given too long ago: whoever gave it reckons with it no more. */
  | 'too-late'
  /** What it sets holds already. */
  | 'in-force'
  /** The kick-off would be before the gates open. */
  | 'before-gates-open'
  | 'no-such-entry'
  /** The entry to be taken back is one that cannot be. */
  | 'permanent'
  | 'taken-back'
  | 'no-such-alarm'
  | 'acknowledged'
  /** The alarm is neither active nor does it wait for anybody; or it is to be suspended, and is not active. */
  | 'over';
