/**
 * All keys of the page. The handler of keys (useKeys.ts) and the sheet that lists them (KeysSheet.tsx) both read this
 * table.
 */
interface Key {
  does: string
  says: string
  where: 'everywhere' | 'list' | 'agent'
  /** The presses that have this effect. `g a` means g and then a. `Mod` is Ctrl, or Cmd on a Mac. */
  press?: readonly string[]
  /** The presses that have this effect only while a row of the list of agents has the focus. */
  onRow?: readonly string[]
}

/** All keys of the page, with what they do. */
export const keyTable = [
  { does: 'palette', where: 'everywhere', press: ['Mod k'], says: 'Find agents, pages, views, actions and help' },
  { does: 'keys', where: 'everywhere', press: ['?'], says: 'Show these keys' },
  { does: 'agents', where: 'everywhere', press: ['g a'], says: 'Go to the agents' },
  { does: 'updates', where: 'everywhere', press: ['g u'], says: 'Go to the updates' },
  { does: 'alerts', where: 'everywhere', press: ['g l'], says: 'Go to the alerts' },
  { does: 'search', where: 'list', press: ['/'], says: 'Search the list' },
  { does: 'next', where: 'list', press: ['j'], onRow: ['ArrowDown'], says: 'Next agent' },
  { does: 'previous', where: 'list', press: ['k'], onRow: ['ArrowUp'], says: 'Previous agent' },
  { does: 'first', where: 'list', onRow: ['Home'], says: 'First agent' },
  { does: 'last', where: 'list', onRow: ['End'], says: 'Last agent' },
  { does: 'select', where: 'list', onRow: ['x', ' '], says: 'Select the agent, or deselect it' },
  { does: 'open', where: 'list', onRow: ['Enter'], says: 'Open the agent' },
  { does: 'clear', where: 'list', press: ['Escape'], says: 'Clear the selection' },
  { does: 'back', where: 'agent', press: ['Escape'], says: 'Go back to the list' },
] as const satisfies readonly Key[]

export type KeyName = (typeof keyTable)[number]['does']
const table: readonly (Key & { does: KeyName })[] = keyTable

/** The modifier key of this machine's shortcuts, in words. */
export const modifierKeyOf = (isMac: boolean): string => (isMac ? '⌘' : 'Ctrl')

/** A press of a key. */
export interface KeyPress {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  /** True while the key is held down, so that the browser repeats the press. */
  repeat: boolean
  timeStamp: number
}

/** The facts about the focus that decide what a key does. */
export interface KeyFocus {
  /** True if the focus is in a field, where letters are typed. */
  field: boolean
  /** True if a dialog or a menu is open, which has keys of its own. */
  dialog: boolean
  /** True if a row of the list of agents has the focus. */
  row: boolean
  isMac: boolean
}

/** The first key of a press such as `g a`, and the time at which it was pressed. */
export interface FirstKey {
  key: string
  at: number
}

interface Meaning {
  /** The effects of the press. The handler tries them in this order until one is handled. */
  does: KeyName[]
  begun?: FirstKey
}

/** The milliseconds within which the second key of a press such as `g a` must follow the first. */
const togetherMs = 1_500
const moves: readonly KeyName[] = ['next', 'previous']

/** Returns what a press of a key means, given where the focus is and which key was pressed just before. */
export function keyMeaning(press: KeyPress, focus: KeyFocus, begun: FirstKey | undefined): Meaning {
  if (focus.dialog) return { does: [] }
  const isMod = focus.isMac ? press.metaKey && !press.ctrlKey : press.ctrlKey && !press.metaKey
  if (press.ctrlKey || press.metaKey || press.altKey)
    return { does: isMod && !press.altKey ? effects(`Mod ${press.key.toLowerCase()}`, false) : [] }
  if (focus.field) return { does: [] }
  const whole = begun && press.timeStamp - begun.at < togetherMs ? `${begun.key} ${press.key}` : press.key
  const does = effects(whole, focus.row).filter((name) => !press.repeat || moves.includes(name))
  const begins =
    does.length === 0 && table.some(({ press: all }) => all?.some((one) => one.startsWith(`${press.key} `)))
  return begins ? { does, begun: { key: press.key, at: press.timeStamp } } : { does }
}

const effects = (press: string, isOnRow: boolean): KeyName[] =>
  table.flatMap(({ does, press: all, onRow }) =>
    all?.includes(press) || (isOnRow && onRow?.includes(press)) ? [does] : [],
  )
