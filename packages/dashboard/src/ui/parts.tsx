/** Small components shared by several pages. */
import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import { Fragment, type ReactNode, type Ref, useId } from 'react'
import { count } from './time/format.ts'
import './parts.css'

interface SectionProps {
  title: ReactNode
  /** Quiet text at the right end of the line of the heading. */
  aside?: ReactNode
  children: ReactNode
  /** True to leave out the padding around the content, for tables and lists that reach the edge of the card. */
  flush?: boolean
}

/**
 * A card with a heading. The card is not a landmark for screen readers, because a page with many cards would have too
 * many landmarks, some with the same title.
 */
export function Section({ title, aside, children, flush = false }: SectionProps) {
  const id = useId()
  return (
    <article className="svc-card" aria-labelledby={id}>
      <div className="svc-section-head">
        <h2 id={id}>{title}</h2>
        {aside && <div className="svc-aside">{aside}</div>}
      </div>
      <div className={flush ? 'svc-section-flush' : 'svc-section-body'}>{children}</div>
    </article>
  )
}

interface WhyButtonProps extends Omit<ButtonProps, 'disabled'> {
  onClick: () => void
  /**
   * The reason why the button is disabled; null if it is enabled. The reason appears on hover and focus, and screen
   * readers read it.
   */
  why: string | null
  /** A note about the consequences of pressing the button. */
  note?: string | null
  children: ReactNode
  label?: string
  type?: 'button' | 'submit'
  ref?: Ref<HTMLButtonElement>
}

/**
 * A button that is disabled while `why` gives a reason. A disabled button can still be reached with the keyboard, so
 * that everybody can read the reason.
 */
export function WhyButton({ onClick, why, note = null, children, label, ...button }: WhyButtonProps) {
  const id = useId()
  const words = why ?? note
  return (
    <>
      <Tooltip label={words} disabled={words === null} multiline maw={280}>
        <Button
          {...button}
          {...(label !== undefined && { 'aria-label': label })}
          {...(why !== null && { 'aria-disabled': true, 'data-disabled': true })}
          {...(words !== null && { 'aria-describedby': id })}
          onClick={() => why === null && onClick()}
        >
          {children}
        </Button>
      </Tooltip>
      {words !== null && (
        <span id={id} className="svc-hidden">
          {words}
        </span>
      )}
    </>
  )
}

/** Shows content in a box that scrolls if the content is larger than the box. The keyboard can scroll the box too. */
export const Scroll = ({ label, className, children }: { label: string; className: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: a <section> would be one more landmark, a <fieldset> has a border
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled with the keyboard
  <div className={className} tabIndex={0} role="group" aria-label={label}>
    {children}
  </div>
)

/** Shows a text after a dot, whose colour says whether the text is good or bad. */
export const Tone = ({ tone, children, title }: { tone: string; children: ReactNode; title?: string }) => (
  <span className="svc-tone" data-tone={tone} title={title}>
    {children}
  </span>
)

/** Shows the parts of a line with middle dots between them. A missing part leaves no gap and no dot. */
export function DottedParts({ parts }: { parts: readonly (ReactNode | false | null | undefined)[] }) {
  const there = parts.filter((part) => part !== null && part !== undefined && part !== false && part !== '')
  return (
    <span className="svc-dotted">
      {there.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts are a fixed row, not a list that moves
        <Fragment key={i}>
          {i > 0 && ' '}
          <span>{part}</span>
        </Fragment>
      ))}
    </span>
  )
}

interface LeftOutProps {
  /** The number of rows that the service left off. */
  rows: number
  /** The word for one row and the plural, which may be missing if it only adds an s. */
  what: readonly [one: string, many?: string]
}

/** Says below a list how many rows are missing from it. */
export function LeftOut({ rows, what }: LeftOutProps) {
  if (rows === 0) return null
  return <p className="svc-note">{`${count(rows, ...what)} more: the list is too long to be shown as a whole.`}</p>
}
