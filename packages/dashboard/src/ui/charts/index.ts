/**
 * The small charts of the page, drawn as SVG. Values appear on hover, and each chart also gives its content as text.
 */
export { dayName, lastDays } from './days.ts'
export { StackedBars } from './StackedBars.tsx'
export { Strip } from './Strip.tsx'
export { sharesOf, spansOf } from './spans.ts'
export { type Column, stack } from './stack.ts'
