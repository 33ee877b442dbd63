import { useRef } from 'react';
import type { Alarm } from '../../model/alarms/alarm.ts';
import type { DeskView, SendCommand } from '../desk-view.ts';
import { AlarmCard } from './alarm-card.tsx';
import { AlarmGroupCard } from './alarm-group-card.tsx';
import { groupAlarms, isGroup } from './alarm-groups.ts';
import { callOf, inOrder, isCalling } from './calling-alarms.ts';
import { InForce } from '../actions/in-force.tsx';
import { useKeptNames } from '../actions/kept-state.ts';
import { useLeftAlarms } from './left-alarms.ts';
import { useKeptFocus } from './use-kept-focus.ts';
import { useShownCalls } from './use-shown-calls.ts';
import { useSteadyPress } from './use-steady-press.ts';
import { headingWords, isUnverified, watchLine } from './watch-words.ts';

/** What names an alarm that somebody is at work on. */
const IN_HAND = ['form ', 'note ', 'reason ', 'sending acknowledge ', 'sending suspend '];

/** Past so many the cards stand closer, and what to do is said of the first only. */
const ROOMY = 3;

interface CardLooks {
  readonly isDense: boolean;
  readonly hasAdvice?: boolean;
  readonly isLeft?: boolean;
}

/** What needs somebody, first; then what somebody knows of; then what operators have set. */
export function AlarmPanel({ view, send }: { readonly view: DeskView; readonly send: SendCommand }) {
  const { state } = view;
  const inHand = new Set(useKeptNames(IN_HAND));
  const alarms = inOrder(state, inHand);
  const left = useLeftAlarms(view);
  const calling = alarms.filter((alarm) => isCalling(alarm, state));
  const mayPress = useSteadyPress(alarms.map(callOf).join());
  const heading = useRef<HTMLHeadingElement>(null);
  const list = useRef<HTMLOListElement>(null);
  useShownCalls(list, {
    calls: calling.map(callOf),
    isReplayed: view.replay !== null,
    isBusy: inHand.size > 0,
  });
  const shown = groupAlarms(alarms, state, inHand);
  const isDense = shown.length > ROOMY;
  const isEvacuated = state.evacuatedAtMs !== null;
  const keptFocus = useKeptFocus(heading);
  /** Whoever has said "ciente" goes on with the next one. */
  const focusAfter = (id: string) => {
    const buttons = [
      ...(list.current?.querySelectorAll<HTMLElement>('[data-state="calling"] .alarm-foot .primary') ?? []),
    ];
    // Not with all of a group: whoever was about to say it to one would say it to each.
    const isOther = (alarm: string | undefined) => alarm !== undefined && alarm !== id;
    const next = buttons.find((button) => isOther(button.closest<HTMLElement>('.alarm')?.dataset['alarm']));
    (next ?? heading.current)?.focus();
  };
  const card = (alarm: Alarm, { isDense: dense, hasAdvice = false, isLeft = false }: CardLooks) => (
    <AlarmCard
      key={alarm.id}
      alarm={alarm}
      view={view}
      send={send}
      isDense={dense}
      isLeft={isLeft}
      hasAdvice={hasAdvice}
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
      {/* No alarm calls then: what is to be taken back comes before them. */}
      {isEvacuated && <InForce view={view} />}
      {alarms.length + left.length > 0 && (
        <ol className="alarms" ref={list} data-dense={isDense ? '' : undefined}>
          {[...shown, ...left].map((each, place) =>
            isGroup(each) ? (
              <AlarmGroupCard
                key={each.id}
                group={each}
                view={view}
                send={send}
                hasAdvice={!isDense || place === 0}
                mayPress={mayPress}
                onAcknowledged={() => heading.current?.focus()}
              >
                {each.alarms.map((alarm) => card(alarm, { isDense: true }))}
              </AlarmGroupCard>
            ) : (
              card(each, {
                isDense,
                hasAdvice: !isDense || place === 0,
                isLeft: place >= shown.length,
              })
            ),
          )}
        </ol>
      )}
      <p className="alarm-watch" data-stale={view.status.kind === 'live' ? undefined : ''}>
        {watchLine(view)}
      </p>
      {!isEvacuated && <InForce view={view} />}
    </section>
  );
}
