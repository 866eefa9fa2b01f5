/** Small charts of our own: SVG, with values by hover and keys, and a table beside the picture. */
export { dayName, lastDays } from './days.ts'
export { StackedBars } from './StackedBars.tsx'
export { Strip } from './Strip.tsx'
export { sharesOf, spansOf } from './spans.ts'
export { type Column, stack } from './stack.ts'
