import { useMantineColorScheme } from '@mantine/core'

/** The colour scheme that the person chose: light, dark, or that of the system. This browser remembers it. */
export function useScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return { chosen: colorScheme, choose: setColorScheme }
}
