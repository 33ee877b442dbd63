import { spawn } from 'node:child_process';

/**
 * Runs a program, by default with its output on our standard error. Resolves with its exit code. After Ctrl-C it waits for
 * the program to end, and rejects with an Error whose `exitCode` is 130.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd: string, stdio?: import('node:child_process').StdioOptions, env?: NodeJS.ProcessEnv, graceMs?: number }} options
 * @returns {Promise<number>}
 */
export function runChild(file, args, { cwd, stdio = ['ignore', 2, 2], env = process.env, graceMs = 1_500 }) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, stdio, env });
    let isStopping = false;
    const stop = () => {
      if (isStopping) return;
      isStopping = true;
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), graceMs).unref();
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, stop);
    const settle = (action) => {
      for (const signal of signals) process.off(signal, stop);
      action();
    };
    child.once('error', (error) => settle(() => reject(error)));
    child.once('exit', (code) =>
      settle(() => {
        if (isStopping) reject(Object.assign(new Error('Stopped.'), { exitCode: 130 }));
        else resolve(code ?? 1);
      }),
    );
  });
}
