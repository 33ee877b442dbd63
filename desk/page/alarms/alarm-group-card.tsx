import { RULE_WORDS } from '../../model/alarms/alarm-words.ts';
import { type ReactNode, useEffect, useId, useState } from 'react';
import type { DeskView, SendCommand } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { acknowledgeEach } from './acknowledge-each.ts';
import type { AlarmGroup } from './alarm-groups.ts';
import { contactsOf, MAX_NAMES } from './alarm-contact.ts';
import { fillingSentence, fullestFirst } from './capacity-sentence.ts';
import { AlarmShape } from './alarm-shape.tsx';
import { CommandButton } from '../actions/command-button.tsx';
import { onEscape } from '../actions/on-escape.ts';
import { adviceOf } from './rule-words.ts';
import { SendingNote } from '../actions/sending-note.tsx';
import { useSending } from '../actions/use-sending.ts';
import { pressed } from './use-steady-press.ts';

interface AlarmGroupCardProps {
  readonly group: AlarmGroup;
  readonly view: DeskView;
  readonly send: SendCommand;
  readonly mayPress: () => boolean;
  /** The cards of its alarms. */
  readonly children: ReactNode;
}

/** One card for many filling sectors, which are acknowledged together or one by one in its list. */
export function AlarmGroupCard({ group, view, send, mayPress, children }: AlarmGroupCardProps) {
  const { id, rule, calls } = group;
  const alarms = fullestFirst(group.alarms, view);
  const [isOpen, setOpen] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const listId = useId();
  const form = useSending(
    `acknowledge ${id}`,
    (each: readonly string[]) => acknowledgeEach(each, send),
    () => setConfirming(false),
  );
  const { giveUp } = form;
  // The remaining alarms call by themselves.
  useEffect(() => giveUp, [giveUp]);
  const ids = alarms.map((alarm) => alarm.id);
  const title = `${RULE_WORDS[rule]}: ${alarms.length} setores`;
  const contacts = contactsOf(
    alarms.map(({ sector }) => sector),
    view,
    MAX_NAMES,
  );
  // An evacuation ends the alarms with the next look at the counts.
  const isInForce = view.state.evacuatedAtMs === null;
  const mayAcknowledge = calls && view.replay === null;
  return (
    <li className="alarm" data-state={stateOf(calls, isInForce)} data-group={id}>
      <h3 className="alarm-title" tabIndex={-1}>
        <AlarmShape rule={rule} /> {RULE_WORDS[rule]}{' '}
        <span className="alarm-place">·&nbsp;{alarms.length} setores</span>
      </h3>
      <div className="alarm-body">
        <p>{fillingSentence(alarms, view)}</p>
        {!calls && <p className="alarm-story">{knownWords(alarms, view)}</p>}
        {isInForce && <p className="alarm-advice">{adviceOf(rule, view.state)}</p>}
        {isInForce && contacts !== null && <p className="alarm-contact">{contacts}</p>}
        <div className="alarm-foot">
          <p className="desk-buttons" onKeyDown={onEscape(() => setConfirming(false))}>
            {/* The second "ciente" stands where the first one stood, and has its focus: who writes a note presses no space on it. */}
            {mayAcknowledge && (
              <CommandButton
                className="primary"
                aria-label={isConfirming ? undefined : `ciente: ${title}`}
                isLocked={form.isLocked}
                onKeyUp={(event) => isConfirming && event.key === ' ' && event.preventDefault()}
                onClick={pressed(mayPress, isConfirming ? () => form.submit(ids) : () => setConfirming(true))}
              >
                {isConfirming ? `ciente dos ${alarms.length} ↵` : 'ciente'}
              </CommandButton>
            )}
            {mayAcknowledge && isConfirming && (
              <button type="button" onClick={() => setConfirming(false)}>
                voltar
              </button>
            )}
            <button
              type="button"
              aria-expanded={isOpen}
              aria-controls={listId}
              aria-label={`${isOpen ? 'recolher' : 'ver cada um'}: ${title}`}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? 'recolher' : 'ver cada um'}
            </button>
          </p>
        </div>
        <SendingNote form={form} />
        <ol className="alarms" id={listId} data-dense="" hidden={!isOpen}>
          {isOpen && children}
        </ol>
      </div>
    </li>
  );
}

function stateOf(calls: boolean, isInForce: boolean): 'calling' | 'quiet' | 'ended' {
  if (calls) return 'calling';
  return isInForce ? 'quiet' : 'ended';
}

/** "ciente: Ana, Bia, o último às 18:40". */
function knownWords(alarms: AlarmGroup['alarms'], { state }: DeskView): string {
  const known = alarms.flatMap(({ acknowledged }) => acknowledged ?? []);
  const names = [...new Set(known.flatMap(({ by }) => by ?? []))];
  const lastAtMs = Math.max(...known.map(({ atMs }) => atMs));
  return `ciente: ${[...names, `o último às ${formatTime(lastAtMs, state.timeZone)}`].join(', ')}`;
}
