import { defaultDarkTheme, defaultLightTheme, type RaThemeOptions } from 'react-admin';
import { translate } from '../text/translate.ts';
import { type BrandColours, brand } from './brand.ts';

/** The colours of the pages. `fill` is the background of a filled button. A brand may set it separately from the accent. */
const light = {
  ...{ ground: '#f5f4f0', surface: '#ffffff', sunken: '#f0efea', ink: '#1c2024', quiet: '#5c6066', line: '#dedcd5' },
  ...{ accent: '#17614d', accentHover: '#114b3b', onAccent: '#ffffff', accentSoft: '#e5f0ec' },
  ...{ fill: '#17614d', fillHover: '#114b3b', danger: '#a8261c', warn: '#7a5200' },
};
type Colours = typeof light;

const dark: Colours = {
  ...{ ground: '#131618', surface: '#1b1f22', sunken: '#15181b', ink: '#e9eae8', quiet: '#a5abab', line: '#2f3538' },
  ...{ accent: '#74cbad', accentHover: '#8fd9bf', onAccent: '#0c2019', accentSoft: '#1a2f28' },
  ...{ fill: '#74cbad', fillHover: '#8fd9bf', danger: '#ff9a8f', warn: '#f0c674' },
};

function branded(colours: Colours, brandColours: BrandColours | undefined): Colours {
  return brandColours ? { ...colours, ...brandColours, onAccent: brandColours.onFill } : colours;
}

const sans = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

/** Scrolls sideways. A shadow at an edge shows that there is more content: the covers scroll with the table, the shadows do not. */
const scrollShadows = ({ surface, ink }: Colours) => ({
  overflowX: 'auto',
  background: [
    `linear-gradient(to right, ${surface} 40%, transparent) left / 48px 100% no-repeat local`,
    `linear-gradient(to left, ${surface} 40%, transparent) right / 48px 100% no-repeat local`,
    `linear-gradient(to right, ${ink}40, transparent) left / 16px 100% no-repeat scroll`,
    `linear-gradient(to left, ${ink}40, transparent) right / 16px 100% no-repeat scroll`,
  ].join(', '),
});

/** On phones, controls must be at least 40 pixels high. */
const onPhones = (style: object) => ({ '@media (max-width: 599px)': style });

function themeOf(base: RaThemeOptions, mode: 'light' | 'dark', c: Colours): RaThemeOptions {
  const flat = { boxShadow: 'none', backgroundImage: 'none', border: `1px solid ${c.line}` };
  return {
    ...base,
    palette: {
      mode,
      primary: { main: c.accent, dark: c.accentHover, contrastText: c.onAccent },
      secondary: { main: c.accent, dark: c.accentHover, contrastText: c.onAccent },
      error: { main: c.danger },
      warning: { main: c.warn },
      success: { main: c.accent },
      background: { default: c.ground, paper: c.surface },
      text: { primary: c.ink, secondary: c.quiet },
      divider: c.line,
    },
    shape: { borderRadius: 10 },
    sidebar: { width: 256, closedWidth: 52 },
    typography: {
      fontFamily: sans,
      h6: { fontWeight: 600, fontSize: '1.05rem' },
      h5: { fontWeight: 600 },
      button: { textTransform: 'none', fontWeight: 600 },
    },
    components: {
      ...base.components,
      MuiCssBaseline: {
        styleOverrides: {
          // The colours of console.css.
          body: {
            ...{ '--ground': c.ground, '--quiet': c.quiet, '--line': c.line, '--danger': c.danger, '--warn': c.warn },
            ...{ '--accent': c.accent, '--accent-soft': c.accentSoft, '--hover': mode === 'dark' ? '8%' : '4%' },
            ...{ '--surface': c.surface, '--ink': c.ink },
            ...(mode === 'dark'
              ? { '--hovered': '#ffffff14', '--outline': '#ffffff3b', '--placeholder': 0.5 }
              : { '--hovered': '#0000000a', '--outline': '#0000003b', '--placeholder': 0.42 }),
          },
          '@media (prefers-reduced-motion: reduce)': {
            '*, *::before, *::after': { animation: 'none !important', transition: 'none !important' },
          },
          // Labels overlap the edge of their control, so the help text above needs space.
          '.MuiStack-root > .ra-input + .ra-input': { marginTop: 8 },
          '.MuiStack-root > .ra-input + .ra-input.MuiFormControl-root': { marginTop: 16 },
        },
      },
      // Prevents MUI from lightening dialogs and menus in dark mode.
      MuiPaper: { styleOverrides: { root: { backgroundImage: 'none' }, elevation1: flat, elevation4: flat } },
      MuiAppBar: {
        styleOverrides: {
          root: { ...flat, backgroundColor: c.surface, border: 0, borderBottom: `1px solid ${c.line}` },
        },
      },
      MuiButtonBase: {
        defaultProps: { disableRipple: true },
        // The focus outline replaces the ripple. It is inside the element, because lists and menus clip their content.
        styleOverrides: { root: { '&.Mui-focusVisible': { outline: `2px solid ${c.accent}`, outlineOffset: -2 } } },
      },
      MuiButton: {
        defaultProps: { disableElevation: true },
        styleOverrides: {
          root: onPhones({ minHeight: 40 }),
          containedPrimary: { backgroundColor: c.fill, color: c.onAccent, '&:hover': { backgroundColor: c.fillHover } },
        },
      },
      MuiIconButton: { styleOverrides: { root: onPhones({ minWidth: 40, minHeight: 40 }) } },
      MuiToggleButton: { styleOverrides: { root: onPhones({ minHeight: 40 }) } },
      MuiDialog: { styleOverrides: { paper: onPhones({ '&&': { margin: 8, width: 'calc(100% - 16px)' } }) } },
      // Aligns the buttons with the title and the content.
      MuiDialogActions: { styleOverrides: { root: { padding: '8px 24px 20px' } } },
      MuiTextField: { defaultProps: { variant: 'outlined', size: 'small', margin: 'dense', fullWidth: true } },
      MuiFormControl: { defaultProps: { variant: 'outlined', size: 'small', margin: 'dense', fullWidth: true } },
      MuiTableCell: {
        styleOverrides: {
          root: { borderColor: c.line },
          head: { color: c.quiet, fontWeight: 600, backgroundColor: c.sunken },
        },
      },
      // react-admin labels the element around a check box. The label belongs to the check box.
      MuiCheckbox: {
        defaultProps: {
          slotProps: { root: { 'aria-label': undefined }, input: { 'aria-label': translate('Select') } },
        },
      },
      MuiCircularProgress: { defaultProps: { 'aria-label': translate('Loading') } },
      MuiLinearProgress: { defaultProps: { 'aria-label': translate('Loading') } },
      MuiAutocomplete: {
        ...base.components?.MuiAutocomplete,
        defaultProps: {
          fullWidth: true,
          autoHighlight: true,
          clearText: translate('Clear'),
          closeText: translate('Close'),
          openText: translate('Open'),
        },
      },
      RaMenuItemLink: {
        styleOverrides: {
          root: {
            margin: '1px 8px',
            paddingInline: 12,
            borderRadius: 8,
            color: c.ink,
            '&.RaMenuItemLink-active': {
              backgroundColor: c.accentSoft,
              color: c.accent,
              fontWeight: 600,
              '& .MuiSvgIcon-root': { fill: c.accent },
            },
          },
        },
      },
      RaMenu: { styleOverrides: { root: { '&.RaMenu-closed .RaMenuItemLink-root': { paddingInline: 8 } } } },
      // The page is as wide as the window. A wider table scrolls sideways.
      RaLayout: {
        styleOverrides: {
          root: {
            '&&': { minWidth: 0 },
            '& .RaLayout-content, & .list-page, & .RaShow-card': { minWidth: 0 },
            '& .RaLayout-content': { paddingBottom: 24 },
            '@media (max-width: 1199px)': { '& .RaDataTable-tableWrapper': scrollShadows(c) },
          },
        },
      },
      RaFilterForm: {
        styleOverrides: {
          root: {
            '&&': { backgroundColor: 'transparent', flex: '1 1 240px', minWidth: 0, padding: 0 },
            '& .filter-field': { maxWidth: '100%' },
            '& .MuiAutocomplete-root': { minWidth: 240 },
            ...onPhones({
              flexBasis: '100%',
              '& .filter-field': { flex: '1 1 40%', minWidth: 0 },
              '& .filter-field .MuiAutocomplete-root, & .filter-field [role="group"]': { minWidth: 0, width: '100%' },
            }),
          },
        },
      },
      // Limits the width of forms, because very wide inputs are hard to fill in.
      RaCreate: { styleOverrides: { root: { '& .RaCreate-card': { maxWidth: 760 } } } },
      RaEdit: { styleOverrides: { root: { '& .RaEdit-card': { maxWidth: 760 } } } },
      RaToolbar: { styleOverrides: { root: { backgroundColor: c.sunken } } },
    },
  };
}

/** Created at the first render, because themes contain messages. */
export const createThemes = () => ({
  lightTheme: themeOf(defaultLightTheme, 'light', branded(light, brand.colours?.light)),
  darkTheme: themeOf(defaultDarkTheme, 'dark', branded(dark, brand.colours?.dark)),
});
