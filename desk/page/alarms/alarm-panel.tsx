import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Alarm } from '../../model/alarms/alarm.ts';
import { loadPart } from '../../../page/lazy-part.ts';
import { useStore } from '../../../page/use-store.ts';
import type { DeskView, SendCommand } from '../desk-view.ts';
import { AlarmCard } from './alarm-card.tsx';
import { groupAlarms, isGroup } from './alarm-groups.ts';
import { isFull } from './capacity-sentence.ts';
import { callOf, inOrder, isCalling } from './calling-alarms.ts';
import { ActiveSettings } from '../actions/active-settings.tsx';
import { useKeptNames } from '../actions/kept-state.ts';
import { IN_HAND, useEndedAlarms } from './ended-alarms.ts';
import { useCardInSight } from './use-card-in-sight.ts';
import { useKeptFocus } from './use-kept-focus.ts';
import { useGuardedFocus } from './use-guarded-focus.ts';
import { useSteadyPress } from './use-steady-press.ts';
import { headingWords, isUnverified, watchLine } from './watch-words.ts';

/** Above this number of cards the list is dense, and only the first card names all contacts. */
const ROOMY = 3;

/** It starts to load with this module. Until then, the alarms stand one by one. */
const groupCard = loadPart(async () => (await import('./alarm-group-card.tsx')).AlarmGroupCard);

interface CardLooks {
  readonly isDense: boolean;
  readonly hasAdvice?: boolean;
  readonly hasAllContacts?: boolean;
  readonly hasEnded?: boolean;
}

/** Lists the alarms in order, and below them what operators have set. */
export function AlarmPanel({ view, send }: { readonly view: DeskView; readonly send: SendCommand }) {
  const { state } = view;
  const AlarmGroupCard = useStore(groupCard, (loaded) => loaded);
  const inHand = new Set(useKeptNames(IN_HAND));
  const alarms = inOrder(state, inHand);
  const ended = useEndedAlarms(view);
  const calling = alarms.filter((alarm) => isCalling(alarm, state));
  const mayPress = useSteadyPress(alarms.map(callOf).join());
  const guardedFocus = useGuardedFocus();
  const heading = useRef<HTMLHeadingElement>(null);
  const list = useRef<HTMLOListElement>(null);
  useScrollToNewCalls(list, {
    calls: calling.map(callOf),
    isReplayed: view.replay !== null,
    isBusy: inHand.size > 0,
  });
  const noteCard = useCardInSight(list);
  const full = alarms.filter((alarm) => isFull(alarm, view)).map(({ id }) => id);
  const items = AlarmGroupCard ? groupAlarms(alarms, state, new Set([...inHand, ...full])) : alarms;
  const isDense = useHeld(items.length > ROOMY, inHand.size > 0);
  const isEvacuated = state.evacuatedAtMs !== null;
  const keptFocus = useKeptFocus(heading);
  /** After an acknowledgement the next calling alarm has the focus, unless its operator has gone on elsewhere. */
  const focusAfter = (id: string) => {
    if (document.activeElement?.closest<HTMLElement>('.alarm')?.dataset['alarm'] !== id) return;
    const buttons = [
      ...(list.current?.querySelectorAll<HTMLElement>('[data-state="calling"] .alarm-foot .primary') ?? []),
    ];
    // A group is skipped: a press meant for one alarm would acknowledge all of it.
    const isOther = (alarm: string | undefined) => alarm !== undefined && alarm !== id;
    const next = buttons.find((button) => isOther(button.closest<HTMLElement>('.alarm')?.dataset['alarm']));
    if (next) guardedFocus.focus(next);
    else heading.current?.focus();
  };
  const card = (
    alarm: Alarm,
    { isDense: dense, hasAdvice = false, hasAllContacts = false, hasEnded = false }: CardLooks,
  ) => (
    <AlarmCard
      key={alarm.id}
      alarm={alarm}
      view={view}
      send={send}
      isDense={dense}
      hasEnded={hasEnded}
      hasAdvice={hasAdvice}
      hasAllContacts={hasAllContacts}
      mayPress={mayPress}
      onAcknowledged={() => focusAfter(alarm.id)}
    />
  );
  return (
    <section className="alarm-panel" aria-labelledby="alarms-heading" {...keptFocus}>
      <h2
        id="alarms-heading"
        ref={heading}
        tabIndex={-1}
        data-caution={isUnverified(view) && !isEvacuated ? '' : undefined}
      >
        {headingWords(view, calling.length)}
      </h2>
      {/* During an evacuation no alarm calls, so the entries to take back come first. */}
      {isEvacuated && <ActiveSettings view={view} />}
      {alarms.length + ended.length > 0 && (
        <ol
          className="alarms"
          ref={list}
          onFocus={noteCard}
          onKeyDown={guardedFocus.onKeyDown}
          data-dense={isDense ? '' : undefined}
        >
          {[...items, ...ended].map((each, index) =>
            isGroup(each)
              ? AlarmGroupCard && (
                  <AlarmGroupCard key={each.id} group={each} view={view} send={send} mayPress={mayPress}>
                    {each.alarms.map((alarm) => card(alarm, { isDense: true }))}
                  </AlarmGroupCard>
                )
              : card(each, {
                  isDense,
                  hasAdvice: true,
                  hasAllContacts: !isDense || index === 0,
                  hasEnded: index >= items.length,
                }),
          )}
        </ol>
      )}
      <p className="alarm-watch" data-stale={view.status.kind === 'live' ? undefined : ''}>
        {watchLine(view)}
      </p>
      {!isEvacuated && <ActiveSettings view={view} />}
    </section>
  );
}

/** Returns the value as it was when it was last not held: nothing moves under the finger of somebody who writes. */
function useHeld<T>(value: T, isHeld: boolean): T {
  const [held, setHeld] = useState(value);
  if (!isHeld && held !== value) setHeld(value);
  return isHeld ? held : value;
}

interface Calls {
  readonly calls: readonly string[];
  readonly isReplayed: boolean;
  /** The list does not move while an operator writes in it. */
  readonly isBusy: boolean;
}

/** Scrolls a list of alarms to its top when a new alarm calls, and when the page switches between live and replay. */
function useScrollToNewCalls(
  list: RefObject<HTMLElement | null>,
  { calls, isReplayed, isBusy }: Calls,
): void {
  const last = useRef<{ readonly calls: ReadonlySet<string>; readonly isReplayed: boolean } | null>(null);
  useEffect(() => {
    const before = last.current;
    last.current = { calls: new Set(calls), isReplayed };
    const isSwitched = before?.isReplayed !== isReplayed;
    const hasNew = calls.some((call) => before?.calls.has(call) !== true);
    const column = list.current?.closest('.desk-alarms');
    if (column && (isSwitched || (hasNew && !isBusy))) column.scrollTop = 0;
  }, [list, calls, isReplayed, isBusy]);
}
