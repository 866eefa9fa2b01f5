import { useEffect, useState } from 'react'
import type { MapColors } from './draw.ts'

const variables = {
  bad: 'var(--svc-bad)',
  offline: 'var(--svc-offline)',
  warn: 'var(--svc-warn)',
  info: 'var(--svc-info)',
  // Most squares are OK. A little paler, they let the others stand out.
  ok: 'color-mix(in srgb, var(--svc-ok) 72%, var(--mantine-color-body))',
  none: 'var(--svc-offline)',
  paused: 'var(--svc-offline)',
  stopped: 'var(--svc-offline)',
  never: 'var(--svc-offline)',
} as const
const forcedColorsQuery = '(forced-colors: active)'

/** The colours of the theme as values for a canvas, read again when the colour scheme or the resolution changes. */
export function usePaint(): MapColors {
  const [paint, setPaint] = useState(readPaint)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `paint` changes with the resolution, which a query names
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const again = () => setPaint(readPaint())
    const scheme = new MutationObserver(again)
    scheme.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] })
    for (const media of [
      forcedColorsQuery,
      '(prefers-color-scheme: dark)',
      `(resolution: ${window.devicePixelRatio}dppx)`,
    ])
      window.matchMedia(media).addEventListener('change', again, { signal })
    return () => {
      scheme.disconnect()
      ended.abort()
    }
  }, [paint])
  return paint
}

function readPaint(): MapColors {
  const probe = document.createElement('i')
  // Without transitions: a colour that changes slowly would be read before it has changed.
  probe.style.cssText = 'position: absolute; forced-color-adjust: none; transition-property: none'
  document.body.append(probe)
  const isForced = window.matchMedia(forcedColorsQuery).matches
  const read = (color: string) => {
    probe.style.color = color
    return getComputedStyle(probe).color
  }
  const colors = Object.fromEntries(
    Object.entries(variables).map(([state, color]) => [state, read(isForced ? 'CanvasText' : color)]),
  ) as Record<keyof typeof variables, string>
  const ok = read(isForced ? 'CanvasText' : 'var(--svc-ok)')
  const ground = read(isForced ? 'Canvas' : 'var(--mantine-color-body)')
  const text = read(isForced ? 'CanvasText' : 'var(--mantine-color-text)')
  const line = read(isForced ? 'CanvasText' : 'var(--svc-line)')
  const { fontFamily: family } = getComputedStyle(probe)
  probe.remove()
  return { colors, ok, ground, text, line, family, tinted: !isForced, ratio: window.devicePixelRatio }
}
