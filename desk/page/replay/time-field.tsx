import { type FormEvent, useId, useState } from 'react';
import { instantOf } from '../actions/kick-off-time.ts';
import { noTimeWords, readTime } from './read-time.ts';

interface TimeFieldProps {
  /** A typed time stands for the instant with this time of day that is nearest to `nearMs`. */
  readonly nearMs: number;
  readonly timeZone: string;
  readonly onOpen: (minuteMs: number) => void;
  /** Called with a text that is no time. */
  readonly onRefused: () => void;
}

/** Opens a typed time: "18:29", "1829" or "18h29". An `<input type="time">` may ask for a.m. and p.m. instead. */
export function TimeField({ nearMs, timeZone, onOpen, onRefused }: TimeFieldProps) {
  const [time, setTime] = useState('');
  const [fault, setFault] = useState('');
  const faultId = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const minuteMs = instantOf(readTime(time), nearMs, timeZone);
    setFault(minuteMs === undefined ? noTimeWords(time) : '');
    if (minuteMs === undefined) {
      onRefused();
      return;
    }
    setTime('');
    onOpen(minuteMs);
  };
  return (
    <form className="replay-time" onSubmit={submit}>
      <label>
        ir para{' '}
        <input
          inputMode="numeric"
          placeholder="hh:mm"
          autoComplete="off"
          maxLength={5}
          value={time}
          aria-invalid={fault !== ''}
          aria-describedby={faultId}
          onChange={(event) => {
            setTime(event.currentTarget.value);
            setFault('');
          }}
        />
      </label>
      <button type="submit">ir</button>
      <span id={faultId} role="status">
        {fault}
      </span>
    </form>
  );
}
