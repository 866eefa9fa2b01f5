/** The words for the states of the map. */
import { mapStates } from '@svc/api/filter'

export type MapState = (typeof mapStates)[number]

export const stateWords: Readonly<Record<MapState, string>> = {
  bad: 'Bad',
  offline: 'Offline',
  warn: 'Warning',
  info: 'Info',
  ok: 'OK',
  none: 'No level',
  paused: 'Paused',
  stopped: 'Stopped',
  never: 'Never reported',
}

/** Numbers of agents by state in words, such as `3 bad, 240 OK`. `some` limits them to these states. */
export const countsText = (counts: readonly number[], some: readonly MapState[] = mapStates): string =>
  mapStates
    .flatMap((state, i) => {
      const number = counts[i] ?? 0
      const word =
        state === 'ok' ? stateWords.ok : stateWords[state].toLowerCase() + (state === 'warn' && number > 1 ? 's' : '')
      return number > 0 && some.includes(state) ? [`${number.toLocaleString('en-US')} ${word}`] : []
    })
    .join(', ')
