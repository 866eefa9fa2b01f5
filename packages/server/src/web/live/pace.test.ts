/**
 * Tests when frames are sent, which would otherwise need a service, a stream and a clock. The contents of frames are
 * tested in frame.test.ts, and the rows of the fleet in live.http.test.ts.
 */
import { expect, test } from 'vitest'
import { type FramePace, initialPace, type PaceAct, type PaceEvent, step } from './pace.ts'

const rules = { tick: 500, gather: 25, slowest: 900 }
type Word = PaceEvent['is']

/** Applies events in order; a number among them sets the time for the events after it. */
function after(state: FramePace, ...events: (Word | number)[]) {
  let at = 0
  const acts: PaceAct[] = []
  for (const event of events) {
    if (typeof event === 'number') at = event
    else {
      const next = step(state, { is: event }, rules, at)
      state = next.state
      acts.push(...next.acts)
    }
  }
  return { state, acts, words: acts.map((act) => (act.do === 'wait' ? `wait ${act.ms}` : act.do)) }
}
const open = after(initialPace, 'joined').state
const many = (event: Word, times: number): Word[] => Array(times).fill(event)

test.each<[string, (Word | number)[], string[]]>([
  ['a first report is on the page after a short wait', [10_000, 'news'], ['wait 25']],
  ['many reports make one frame', [10_000, ...many('news', 500), 10_025, 'due', 'made'], ['wait 25', 'make']],
  [
    'a report while a frame is made is in the next one, a tick after the start of the first',
    [10_000, 'news', 10_025, 'due', 10_100, ...many('news', 3), 10_125, 'made', 10_525, 'due'],
    ['wait 25', 'make', 'wait 400', 'make'],
  ],
  [
    'after a frame that took longer than a tick, the next one follows after a short wait',
    [10_000, 'news', 10_025, 'due', 'news', 12_000, 'made'],
    ['wait 25', 'make', 'wait 25'],
  ],
  ['without news no frame is made', [10_000, 'news', 10_025, 'due', 'made', 20_000], ['wait 25', 'make']],
  [
    '24 reports in a second make three frames',
    [0, 'news', 25, 'due', 'made', ...many('news', 12), 525, 'due', 'made', ...many('news', 11), 1025, 'due', 'made'],
    ['wait 25', 'make', 'wait 500', 'make', 'wait 500', 'make'],
  ],
  ['a frame that is not due is not made', ['due', 'made'], []],
])('%s', (_name, events, words) => expect(after(open, ...events).words).toEqual(words))

test.each([
  [1, 500],
  [500, 500],
  [700, 700],
  [5000, 900],
])('with %i pages there are %i ms between two frames', (pages, ms) => {
  const { words } = after(initialPace, ...many('joined', pages), 'news', 25, 'due', 'made', 'news')
  expect(words).toEqual(['wait 25', 'make', `wait ${ms}`])
})

test('the workspace is forgotten with its last page, in every state, and a frame in progress is followed by nothing', () => {
  for (const before of [[], ['news'], ['news', 'due'], ['news', 'due', 'news']] as const) {
    const both = after(open, 'joined', ...before).state
    expect(after(both, 'left').state).toEqual({ ...both, pages: 1 })
    expect(after(both, 'left', 'left', 'due', 'news', 'made', 'due').words).toEqual(['end'])
  }
})

test('a service that is closing makes no further frame, however many pages are open', () => {
  const { state } = after(open, 'joined', 'news')
  expect(after(state, 'closed', 'due', 'news', 'due').words).toEqual(['end'])
})
