import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** What the system knows of a process that runs. Linux only: read from /proc. */
export interface ProcessUsage {
  /** Resident memory now. */
  memoryMb(): number;
  /** The most resident memory since it began, or since `resetPeak`. */
  peakMemoryMb(): number;
  resetPeak(): void;
  /** Processor time of all its threads so far. The system counts in steps of 10 ms. */
  cpuMs(): number;
  /** `cpuMs` with that of its child processes, running and ended. */
  familyCpuMs(): number;
  /** What it has read so far, from files and sockets. */
  bytesRead(): number;
  openFiles(): number;
}

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10;

export function usageOf(pid: number): ProcessUsage {
  const read = <T>(reading: () => T): T => {
    try {
      return reading();
    } catch (error) {
      throw new Error(`Process ${pid} cannot be measured: that takes Linux's /proc, and the process alive`, {
        cause: error,
      });
    }
  };
  const textOf = (name: string): string => read(() => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
  const numberIn = (name: string, pattern: RegExp): number => {
    const [, digits] = pattern.exec(textOf(name)) ?? [];
    if (digits === undefined) throw new Error(`/proc/${pid}/${name} does not say ${pattern.source}`);
    return Number(digits);
  };
  // utime, stime, and the same of children that have ended: from the 14th field on.
  const cpuMs = (fields: number): number => {
    // The program's name, in parentheses, may hold spaces.
    const all = textOf('stat')
      .replace(/^.*\) /s, '')
      .split(' ');
    return all.slice(11, 11 + fields).reduce((sum, ticks) => sum + Number(ticks) * MS_PER_TICK, 0);
  };
  return {
    memoryMb: () => numberIn('status', /VmRSS:\s+(\d+) kB/) / 1_024,
    peakMemoryMb: () => numberIn('status', /VmHWM:\s+(\d+) kB/) / 1_024,
    // Source: proc_pid_clear_refs(5): 5 sets the peak to what is resident now.
    resetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
    cpuMs: () => cpuMs(2),
    familyCpuMs() {
      const children = textOf(`task/${pid}/children`).trim().split(' ').filter(Boolean);
      const running = children.map((child) => {
        try {
          return usageOf(Number(child)).cpuMs();
        } catch {
          // It has just ended: the next look finds it among those.
          return 0;
        }
      });
      return running.reduce((sum, ms) => sum + ms, cpuMs(4));
    },
    bytesRead: () => numberIn('io', /rchar: (\d+)/),
    openFiles: () => read(() => readdirSync(`/proc/${pid}/fd`).length),
  };
}
