/** Small pieces that several pages are made of. */
import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import './parts.css'

interface SectionProps {
  title: ReactNode
  /** Quiet, at the end of the heading's line. */
  aside?: ReactNode
  children: ReactNode
  /** Without inner padding, for tables and lists that reach the edge. */
  flush?: boolean
}

/** A card with a heading. No landmark: a page of many panels would be full of them, and their titles may be the same. */
export function Section({ title, aside, children, flush = false }: SectionProps) {
  const id = useId()
  return (
    <article className="svc-card svc-section" aria-labelledby={id}>
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
  /** Why it cannot be pressed; null when it can. Shown on hover and focus, and read to who cannot see it. */
  why: string | null
  /** What is good to know before pressing. */
  note?: string | null
  children: ReactNode
  label?: string
  type?: 'button' | 'submit'
}

/** A button that, when it cannot be pressed, stays reachable and says why. */
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

/** What may be wider or higher than its place, and is then scrolled with the keyboard too. */
export const Scroll = ({ label, className, children }: { label: string; className: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: a <section> would be one more landmark for each panel, a <fieldset> has a look
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled with the keyboard
  <div className={className} tabIndex={0} role="group" aria-label={label}>
    {children}
  </div>
)

/** Words with a dot of their tone before them. */
export const Tone = ({ tone, children, title }: { tone: string; children: ReactNode; title?: string }) => (
  <span className="svc-tone" data-tone={tone} title={title}>
    {children}
  </span>
)

/** Parts of one line with a middle dot between; what is not there leaves no gap. */
export function Dotted({ parts }: { parts: readonly (ReactNode | false | null | undefined)[] }) {
  const there = parts.filter((part) => part !== null && part !== undefined && part !== false && part !== '')
  return (
    <span className="svc-dotted">
      {there.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts are a fixed row, not a list that moves
        <span key={i}>{part}</span>
      ))}
    </span>
  )
}
