import CheckIcon from '@mui/icons-material/CheckCircleOutlined';
import OpenIcon from '@mui/icons-material/RadioButtonUnchecked';
import { Box, Button } from '@mui/material';
import { useStore } from 'react-admin';
import { root } from '../data/api.ts';
import { useDescriptions } from '../data/DescriptionsProvider.tsx';
import { isBuiltin } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { Line, Section } from '../widgets/Section.tsx';
import { useDiagnosis } from './useOverview.ts';

interface Step {
  name: string;
  instruction: string;
  isDone: boolean;
  /** The person ticks a step that the service cannot check. */
  tick?: () => void;
  link?: string;
}

/** The setup steps of a new installation. The list disappears when all steps are done, or when the person hides it. */
export function Checklist() {
  const steps = useSteps();
  const [isHidden, setHidden] = useStore('overview.checklist.hidden', false);
  if (!steps || isHidden || steps.every(({ isDone }) => isDone)) return null;
  return (
    <Section title={translate('Set up')}>
      <Box
        component="ul"
        className="lines"
        sx={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fit, minmax(min(210px, 100%), 1fr))' }}
      >
        {steps.map((step) => (
          <Item key={step.name} step={step} />
        ))}
      </Box>
      <Button size="small" sx={{ m: 1 }} onClick={() => setHidden(true)}>
        {translate('Hide this list')}
      </Button>
    </Section>
  );
}

function useSteps(): Step[] | undefined {
  const { data } = useDiagnosis();
  const descriptions = useDescriptions();
  const [isBackedUp, setBackedUp] = useStore('overview.checklist.backup', false);
  if (!data) return undefined;
  const isFine = (part: RegExp) => !data.findings.some((found) => part.test(found.part) && found.state !== 'ok');
  return [
    {
      name: translate('Mail'),
      instruction: translate('Set SMTP_URL, so that people can reset their passwords.'),
      isDone: isFine(/^mail$/),
    },
    {
      name: translate('Address'),
      instruction: translate('Set BASE_URL to the https address that people use.'),
      isDone: isFine(/^(address|cookies)$/) && location.protocol === 'https:',
    },
    {
      name: translate('Second factor'),
      instruction: translate('Add a passkey or an authenticator app to your account.'),
      isDone: isFine(/factors$/),
      link: `${root}/settings/security`,
    },
    {
      name: translate('Backup'),
      instruction: translate('Run “gatehouse backup” every day, and restore a copy once to try it.'),
      isDone: isBackedUp,
      tick: () => setBackedUp(true),
    },
    {
      name: translate('First resource'),
      instruction: translate('Declare one in the resources folder, such as resources/cars.ts.'),
      isDone: [...descriptions.values()].some((description) => !isBuiltin(description)),
    },
  ];
}

/** Aligns the text of a button with the text above it. */
const flush = { ml: -0.75, minWidth: 0 } as const;

function Item({ step: { name, instruction, isDone, tick, link } }: { step: Step }) {
  const Mark = isDone ? CheckIcon : OpenIcon;
  const icon = (
    <Mark
      color={isDone ? 'success' : 'disabled'}
      fontSize="small"
      titleAccess={isDone ? translate('Done') : translate('Not done yet')}
    />
  );
  if (isDone) return <Line icon={icon} title={name} />;
  return (
    <Line icon={icon} title={name} text={instruction}>
      {tick && (
        <Button
          size="small"
          sx={flush}
          onClick={tick}
          aria-label={translate('{part}: {what}', { part: name, what: translate('Done') })}
        >
          {translate('Done')}
        </Button>
      )}
      {link !== undefined && (
        <Button size="small" sx={flush} href={link}>
          {translate('Open')}
        </Button>
      )}
    </Line>
  );
}
