import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { type LogRow, piecesOf } from './search.ts'

interface LogLinesProps {
  rows: readonly LogRow[]
  marked: ReadonlyMap<number, { from: number; to: number; at: number }[]>
  /**
   * `at` is the index of the selected match among all matches, and `row` the index of the row in which that match
   * starts; both are null without a match.
   */
  at: number | null
  row: number | null
  wrap: boolean
}

const lineHeight = 19

/**
 * Shows the rows of a log. Only the rows in sight are drawn. The view starts at the end of the log, which matters most.
 */
export function LogLines({ rows, marked, at, row, wrap }: LogLinesProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 30,
  })
  const last = rows.length - 1
  const end = useRef(virtual)
  end.current = virtual
  useEffect(() => {
    if (last > 0) end.current.scrollToIndex(last, { align: 'end' })
  }, [last])
  useEffect(() => {
    if (row !== null && at !== null) end.current.scrollToIndex(row, { align: 'center' })
  }, [row, at])
  // biome-ignore lint/correctness/useExhaustiveDependencies: wrapping changes every height that was measured
  useEffect(() => end.current.measure(), [wrap])

  const items = virtual.getVirtualItems()
  const digits = String((rows.at(-1)?.line ?? 0) + 1).length
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the log is scrolled with the keyboard
    <section ref={scroller} className="ag-log" data-wrap={wrap} tabIndex={0} aria-label="Lines of the log">
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        <div className="ag-log-window" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
          {items.map((item) => {
            const { line, start, text } = rows[item.index] ?? { line: 0, start: 0, text: '' }
            return (
              <div key={item.key} ref={virtual.measureElement} data-index={item.index} className="ag-log-line">
                <span className="ag-log-number" style={{ minWidth: `${digits}ch` }} aria-hidden>
                  {start === 0 ? line + 1 : ''}
                </span>
                <bdi>
                  {piecesOf(text, marked.get(item.index) ?? []).map((piece, i) =>
                    piece.at === null ? (
                      piece.text
                    ) : (
                      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one line, in order
                      <mark key={i} data-at={piece.at === at}>
                        {piece.text}
                      </mark>
                    ),
                  )}
                </bdi>
              </div>
            )
          })}
        </div>
      </div>
    </section>
  )
}
