/** The words for the states of the map. */
import { mapStates } from '@svc/api/filter'
import { levelLooks } from '../../ui/index.ts'

export type MapState = (typeof mapStates)[number]

export const mapStateWords: Readonly<Record<MapState, string>> = {
  bad: levelLooks.bad.words,
  offline: levelLooks.offline.words,
  warn: levelLooks.warn.words,
  info: levelLooks.info.words,
  ok: levelLooks.ok.words,
  none: 'No level',
  paused: 'Paused',
  stopped: levelLooks.stopped.words,
  never: levelLooks.never.words,
}

/** Numbers of agents by state in words, such as `3 bad, 240 OK`. `some` limits them to these states. */
export const stateCountsText = (counts: readonly number[], some: readonly MapState[] = mapStates): string =>
  mapStates
    .flatMap((state, i) => {
      const number = counts[i] ?? 0
      const word =
        state === 'ok'
          ? mapStateWords.ok
          : mapStateWords[state].toLowerCase() + (state === 'warn' && number > 1 ? 's' : '')
      return number > 0 && some.includes(state) ? [`${number.toLocaleString('en-US')} ${word}`] : []
    })
    .join(', ')
