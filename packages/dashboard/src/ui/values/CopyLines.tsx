import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { Fragment, type ReactNode } from 'react'
import './copy.css'

interface CopyLinesProps {
  /** The text to show and to copy. */
  text: string
  /** The name of the text. Screen readers read the button as "Copy" with this name, such as `Copy token`. */
  label: string
  /** Shows a gap after every `gapAfter` characters, for people who type the text. The gaps are not copied. */
  gapAfter?: number
}

/** Shows lines of text with a button that copies them. */
export function CopyLines({ text, label, gapAfter }: CopyLinesProps) {
  const clipboard = useClipboard({ timeout: 2000 })
  return (
    <div className="svc-copy">
      <pre>
        {text.split('\n').map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text
          <Fragment key={i}>
            {i > 0 && '\n'}
            <span className="svc-copy-line" data-spaced={line.startsWith(' ')}>
              {partsOf(line, gapAfter).map((part, at) =>
                part.trim() === '' ? (
                  part
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one line
                  <span key={at} data-gap={gapAfter !== undefined} data-slashes={part.includes('/')}>
                    {withBreaks(part)}
                  </span>
                ),
              )}
            </span>
          </Fragment>
        ))}
      </pre>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => clipboard.copy(text)}
        leftSection={clipboard.copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
        aria-label={`Copy ${label}`}
      >
        {clipboard.copied ? 'Copied' : 'Copy'}
      </Button>
      <span role="status" className="svc-hidden">
        {clipboard.copied ? `Copied ${label}` : ''}
      </span>
    </div>
  )
}

/** Lets a long word break after a slash. Browsers break addresses anywhere but there. */
const withBreaks = (word: string): ReactNode =>
  word.split(/(?<=\/)(?=[^/])/).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one word
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {part}
    </Fragment>
  ))

const partsOf = (text: string, gapAfter: number | undefined): string[] =>
  gapAfter === undefined ? text.split(/(\s+)/) : (text.match(new RegExp(`.{1,${gapAfter}}`, 'gu')) ?? [])
