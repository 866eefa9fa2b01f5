/** The types of svc-status.mjs. */

/** A text. Numbers and errors become one; anything else is left out. What is too long is cut. */
export type Text = string | number | bigint | Error
export type Level = 'ok' | 'info' | 'warn' | 'bad'
/** Why `wait` ended. */
export type WaitEnd = 'time' | 'paused' | 'resumed' | 'settings' | 'run_now'

/** A part of the page (docs/protocol.md 2.3). Its title names it. */
export type Panel = { title: Text } & (
  | { type: 'list'; items: readonly { title: Text; url?: string; meta?: Text; badge?: Text; level?: Level }[] }
  | { type: 'table'; columns: readonly Text[]; rows: readonly (readonly Cell[])[] }
  | { type: 'kv'; items: readonly { label: Text; value: Text }[] }
  | { type: 'text'; lines: readonly Text[] }
)
export type Cell = Text | null | undefined | { text: Text; url?: string }

/** A piece of work, from `Status.run`. What is set here is written with the next call, at the latest by `end`. */
export interface Run {
  /** A text that no other run has, also after a restart and on other machines. */
  readonly id: string
  /** The cost in USD; 0 while it is not known. */
  costUsd: number
  /** The tokens that a model wrote; 0 while that is not known. */
  outputTokens: number
  /** The cost in USD by the name of the model. */
  models: Record<string, number>
  /** Ends the run, as `ok` unless another status is given. Only the first call counts. */
  end(status?: string): void
}

/**
 * The status of a program: `status.json` in SVC_STATE_DIR, else in `folder`, else in the current folder. The same
 * folder gives the same object in the whole program. Each call writes the whole file, and no fault of a disk is thrown.
 */
export class Status {
  constructor(folder?: string | URL)
  ok(label: Text, detail?: Text | null): void
  info(label: Text, detail?: Text | null): void
  warn(label: Text, detail?: Text | null): void
  bad(label: Text, detail?: Text | null): void
  /** One thing that can be well or ill beside the state. The level null removes it. */
  health(name: Text, level: Level | null, detail?: Text | null): void
  /** A share from 0 to 1 or another figure, with a mark that it should not pass. Null removes it. */
  gauge(name: Text, used: number | bigint | null, mark?: number | bigint | null, detail?: Text | null): void
  panel(panel: Panel): void
  /** Begins a run and returns it. The page shows it as running until its `end`. */
  run(kind?: Text | null, title?: Text | null): Run
  /** True while a person wants the program to start nothing. */
  readonly paused: boolean
  /** True once for each time that somebody asked for a run. */
  takeRunNow(): boolean
  /** The values of the settings. While their file cannot be read, the last ones stay. */
  readonly settings: Record<string, unknown>
  /**
   * Waits, looks every second, and says why it ended. It also tells what changed since the last wait ended. A request
   * for a run is taken by this, and stays while the program is paused.
   */
  wait(seconds: number): Promise<WaitEnd>
}
