/** Families of attacks on a judge through the text of a passage, with their sources. */
import {
  CLAIMS,
  DIRECT_ORDERS,
  HIDDEN,
  IMITATED_ROLES,
  LANGUAGES,
  MADE_UP_ANSWERS,
  STUFFING,
  TEMPLATE_MARKS,
  type Aim,
} from './texts.ts';

export interface Attack {
  /** Unique. */
  readonly name: string;
  /** The attacker's text in the passage. */
  readonly text: (aim: Aim) => string;
}

export interface AttackFamily {
  readonly id: string;
  /** As shown to the user. */
  readonly title: string;
  /** Papers that describe and measure attacks of this kind. */
  readonly sources: readonly string[];
  readonly attacks: readonly Attack[];
}

export const ATTACK_FAMILIES: readonly AttackFamily[] = [
  family('direct-orders', 'Direct orders', DIRECT_ORDERS, [
    'Perez and Ribeiro 2022, arXiv:2211.09527',
    'Greshake et al. 2023, arXiv:2302.12173',
  ]),
  family('imitated-roles', 'System messages, roles and parts of the prompt imitated', IMITATED_ROLES, [
    'Liu et al. 2023, arXiv:2310.12815',
    'Wallace et al. 2024, arXiv:2404.13208',
  ]),
  family('template-marks', 'Marks of chat templates', TEMPLATE_MARKS, [
    'Jiang et al. 2024, arXiv:2406.12935',
  ]),
  family('made-up-answers', 'Answers that nobody gave', MADE_UP_ANSWERS, [
    'Shi et al. 2024, arXiv:2403.17710',
    'Zheng et al. 2024, arXiv:2410.07137',
  ]),
  family('claims', 'Claims of authority and relevance', CLAIMS, [
    'Chen et al. 2024, arXiv:2402.10669',
    'Alaofi et al. 2024, arXiv:2501.17969',
  ]),
  family('hidden', 'Hidden and encoded text', HIDDEN, [
    'Boucher et al. 2021, arXiv:2106.09898',
    'Wei et al. 2023, arXiv:2307.02483',
  ]),
  family('stuffing', 'Repetition and stuffed keywords', STUFFING, [
    'Parry et al. 2024, arXiv:2403.07654',
    'Alaofi et al. 2024, arXiv:2501.17969',
  ]),
  family('languages', 'Orders in other languages', LANGUAGES, [
    'Deng et al. 2023, arXiv:2310.06474',
    'Yong et al. 2023, arXiv:2310.02446',
  ]),
];

function family(
  id: string,
  title: string,
  texts: Readonly<Record<string, Attack['text']>>,
  sources: readonly string[],
): AttackFamily {
  const attacks = Object.entries(texts).map(([name, text]) => ({ name, text }));
  return { id, title, sources, attacks };
}
