import type { DeskCommand } from '../model/log/desk-command.ts';
import type { LogRow } from '../model/log/flow-log.ts';
import { suspensionEndMs } from '../model/alarms/suspensions.ts';
import type { LogState } from '../model/log/log-state.ts';
import { CommandRefused } from './desk.ts';
import type { EntryContent } from './entry-maker.ts';

type FindRow = (id: string) => LogRow | undefined;

/** The log before a command. */
interface LogBefore {
  readonly state: LogState;
  readonly find: FindRow;
  readonly takeBacks: readonly Extract<LogRow, { kind: 'take-back' }>[];
}

export function contentOf(command: DeskCommand): EntryContent {
  switch (command.kind) {
    case 'mark': {
      const { mark, sector, sinceMs, estimate, alarm } = command;
      const data = {
        mark,
        ...(sinceMs !== undefined && { sinceMs }),
        ...(estimate && { estimate }),
        ...(alarm !== undefined && { alarm }),
      };
      return { kind: 'mark', sector, data };
    }
    case 'estimate': {
      const { mark, count, how } = command;
      return { kind: 'estimate', sector: null, data: { mark, count, how } };
    }
    case 'kick-off':
      return { kind: 'kick-off', sector: null, data: { kickOffAtMs: command.kickOffAtMs } };
    case 'entry-closed':
    case 'evacuation':
      return { kind: command.kind, sector: null, data: {} };
    case 'occurrence':
      return { kind: 'occurrence', sector: command.sector, data: { text: command.text } };
    case 'acknowledge':
      return { kind: 'acknowledge', sector: null, data: { alarm: command.alarm, note: command.note } };
    case 'suspend': {
      const { rule, sector, minutes, reason } = command;
      return { kind: 'suspend', sector, data: { rule, minutes, reason } };
    }
    default: {
      const { entryId: id, why } = command;
      return { kind: 'take-back', sector: null, data: { id, ...(why && { why }) } };
    }
  }
}

/** @throws CommandRefused where the command makes no sense after this log. */
export function checkCommand(command: DeskCommand, log: LogBefore, nowMs: number): void {
  const { state, find } = log;
  checkSeen(command, log);
  const alreadyHolds = (what: string): never => {
    throw new CommandRefused('in-force', what);
  };
  switch (command.kind) {
    case 'mark': {
      const { sector, mark, alarm } = command;
      // One that is over, or that somebody else has acknowledged, is no reason to refuse the mark.
      if (alarm !== undefined && find(alarm)?.kind !== 'alarm')
        throw new CommandRefused('no-such-alarm', 'the log has no alarm with this id');
      if (state.marks.some((other) => other.sector === sector && other.mark === mark)) {
        alreadyHolds(`the sector "${sector}" has this mark already`);
      }
      break;
    }
    case 'kick-off': {
      const { kickOffAtMs, fromMs } = command;
      if (state.gatesOpenAtMs !== null && kickOffAtMs <= state.gatesOpenAtMs) {
        throw new CommandRefused('before-gates-open', 'the kick-off would be before the gates open');
      }
      if (state.kickOffAtMs === kickOffAtMs) alreadyHolds('this is the kick-off already');
      if (fromMs !== undefined && fromMs !== state.kickOffAtMs)
        throw new CommandRefused('changed', 'the kick-off has been changed since the command was given');
      break;
    }
    case 'entry-closed':
      if (state.entryClosedAtMs !== null) alreadyHolds('the entry is closed already');
      break;
    case 'evacuation':
      if (state.evacuatedAtMs !== null) alreadyHolds('the evacuation is recorded already');
      break;
    case 'take-back':
      checkTakeBack(command, state, find, nowMs);
      break;
    case 'estimate':
      if (state.uncounted.some(({ id }) => id === command.mark)) break;
      if (state.takenBack.has(command.mark)) throw new CommandRefused('taken-back', 'the mark was a mistake');
      throw new CommandRefused('no-such-entry', 'the log has no mark of uncounted people with this id');
    case 'acknowledge':
      checkAcknowledge(command.alarm, state, find);
      break;
    case 'suspend':
      checkSuspend(command, state);
      break;
    case 'occurrence':
      break;
  }
}

/** What was ended after the operator gave the same does not come into force again by a command that was held up. */
function checkSeen(command: DeskCommand, { find, takeBacks }: LogBefore): void {
  const { seenSeq = Infinity } = command;
  const ended = takeBacks.filter(({ seq }) => seq > seenSeq).map(({ data }) => data.id);
  if (command.kind === 'take-back' && ended.includes(command.entryId))
    throw new CommandRefused('taken-back', 'the entry has been taken back since the command was given');
  if (ended.some((id) => isOfSame(find(id), command)))
    throw new CommandRefused('ended', 'the same has been ended since the command was given');
}

function isOfSame(entry: LogRow | undefined, command: DeskCommand): boolean {
  if (command.kind === 'mark')
    return entry?.kind === 'mark' && entry.sector === command.sector && entry.data.mark === command.mark;
  return (command.kind === 'evacuation' || command.kind === 'entry-closed') && entry?.kind === command.kind;
}

function checkAcknowledge(alarmId: string, { alarms }: LogState, find: FindRow): void {
  const alarm = alarms.find(({ id }) => id === alarmId);
  if (alarm?.acknowledged) throw new CommandRefused('acknowledged', 'the alarm is acknowledged already');
  if (alarm) return;
  if (find(alarmId)?.kind === 'alarm') throw new CommandRefused('over', 'the alarm is over');
  throw new CommandRefused('no-such-alarm', 'the log has no alarm with this id');
}

/** A suspension silences an active alarm: after its return it would silence the next one, which nobody has seen. */
function checkSuspend(
  { rule, sector }: Extract<DeskCommand, { kind: 'suspend' }>,
  { alarms }: LogState,
): void {
  const isActive = alarms.some(
    (alarm) => alarm.rule === rule && alarm.sector === sector && alarm.returnedAtMs === null,
  );
  if (!isActive) throw new CommandRefused('over', 'the alarm is not active');
}

function checkTakeBack(
  { entryId, why }: Extract<DeskCommand, { kind: 'take-back' }>,
  state: LogState,
  find: FindRow,
  nowMs: number,
): void {
  const entry = find(entryId);
  if (!entry) throw new CommandRefused('no-such-entry', 'the log has no entry with this id');
  if (why && entry.kind !== 'mark')
    throw new CommandRefused('no-such-entry', 'the log has no mark with this id');
  if (entry.kind === 'suspend' && suspensionEndMs(entry) <= nowMs)
    throw new CommandRefused('permanent', 'the suspension has ended');
  const hasEnded = entry.kind === 'mark' && !state.marks.some(({ id }) => id === entryId);
  if (state.activeIds.has(entryId) && (!hasEnded || why === 'mistake')) return;
  if (state.takenBack.has(entryId) || hasEnded) {
    throw new CommandRefused('taken-back', 'the entry is taken back already');
  }
  throw new CommandRefused('permanent', `an entry of the kind ${entry.kind} cannot be taken back`);
}
