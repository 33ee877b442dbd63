import { readFileSync, writeFileSync } from 'node:fs';

/** What the system knows of a process that runs. Linux only: read from /proc. */
export interface ProcessStats {
  /** Resident memory now. */
  memoryMb(): number;
  /** The most resident memory since it began, or since `resetPeak`. */
  peakMemoryMb(): number;
  resetPeak(): void;
  /** Processor time of all its threads so far. The system counts in steps of 10 ms. */
  cpuMs(): number;
  /** What it has read so far, from files and sockets. */
  bytesRead(): number;
}

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10;

export function processStats(pid: number): ProcessStats {
  const numberIn = (name: string, pattern: RegExp): number => {
    let text: string;
    try {
      text = readFileSync(`/proc/${pid}/${name}`, 'utf8');
    } catch (cause) {
      throw new Error(`Process ${pid} cannot be measured: that takes Linux's /proc, and the process alive`, {
        cause,
      });
    }
    const [, ...digits] = pattern.exec(text) ?? [];
    if (digits.length === 0) throw new Error(`/proc/${pid}/${name} does not say ${pattern.source}`);
    return digits.reduce((sum, number) => sum + Number(number), 0);
  };
  return {
    memoryMb: () => numberIn('status', /VmRSS:\s+(\d+) kB/) / 1_024,
    peakMemoryMb: () => numberIn('status', /VmHWM:\s+(\d+) kB/) / 1_024,
    // Source: proc_pid_clear_refs(5): 5 sets the peak to what is resident now.
    resetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
    // The 14th and 15th field, utime and stime; the second, a name in parentheses, may hold spaces.
    cpuMs: () => numberIn('stat', /^.*\)(?: \S+){11} (\d+) (\d+)/s) * MS_PER_TICK,
    bytesRead: () => numberIn('io', /rchar: (\d+)/),
  };
}
