/**
 * The marks of chat templates in use, with the published template or tokenizer of each family. Plain words, such as
 * `### Instruction:` or `USER:`, are not included: tokenizers read them as ordinary text.
 */

interface TemplateFamily {
  readonly family: string;
  /** Repository on Hugging Face whose chat template or tokenizer has these marks. */
  readonly source: string;
  readonly marks: readonly string[];
}

/** Marks of the families in use. Marks between `<|` and `|>`, which most use, are recognised by their form. */
export const TEMPLATE_FAMILIES: readonly TemplateFamily[] = [
  {
    family: 'ChatML: Qwen, Yi, Hermes, SmolLM',
    source: 'Qwen/Qwen3-8B',
    marks: ['<|im_start|>', '<|im_end|>', '<|endoftext|>', '<tool_call>', '<tool_response>', '<think>'],
  },
  {
    family: 'Llama 3',
    source: 'meta-llama/Llama-3.1-8B-Instruct',
    marks: ['<|begin_of_text|>', '<|start_header_id|>', '<|end_header_id|>', '<|eot_id|>', '<|python_tag|>'],
  },
  {
    family: 'Llama 4',
    source: 'meta-llama/Llama-4-Scout-17B-16E-Instruct',
    marks: ['<|header_start|>', '<|header_end|>', '<|eot|>'],
  },
  { family: 'Llama 2', source: 'meta-llama/Llama-2-7b-chat-hf', marks: ['[INST]', '<<SYS>>', '<s>', '</s>'] },
  {
    family: 'Mistral',
    source: 'mistralai/Magistral-Small-2506',
    marks: [
      ...['[INST]', '[/INST]', '[SYSTEM_PROMPT]', '[AVAILABLE_TOOLS]', '[TOOL_CALLS]', '[TOOL_RESULTS]'],
      ...['[TOOL_CONTENT]', '[CALL_ID]', '[ARGS]', '[THINK]', '[IMG]', '[IMG_END]', '</s>'],
    ],
  },
  {
    family: 'Gemma',
    source: 'google/gemma-3-4b-it',
    marks: ['<start_of_turn>', '<end_of_turn>', '<bos>', '<eos>', '<start_of_image>', '<end_of_image>'],
  },
  {
    family: 'gpt-oss (Harmony)',
    source: 'openai/gpt-oss-20b',
    marks: ['<|start|>', '<|channel|>', '<|message|>', '<|call|>', '<|return|>', '<|end|>'],
  },
  { family: 'Phi', source: 'microsoft/phi-4', marks: ['<|im_sep|>', '<|user|>', '<|assistant|>', '<|end|>'] },
  {
    family: 'DeepSeek',
    source: 'deepseek-ai/DeepSeek-R1',
    marks: ['<｜begin▁of▁sentence｜>', '<｜User｜>', '<｜Assistant｜>', '<｜tool▁calls▁begin｜>', '<think>'],
  },
  {
    family: 'GLM',
    source: 'zai-org/GLM-4.5',
    marks: ['[gMASK]', '<sop>', '<eop>', '<|system|>', '<|observation|>', '<arg_key>', '<arg_value>'],
  },
  {
    family: 'Kimi',
    source: 'moonshotai/Kimi-K2-Instruct',
    marks: ['<|im_system|>', '<|im_user|>', '<|im_middle|>', '[EOS]', '[BOS]', '[EOT]'],
  },
  {
    family: 'Command R',
    source: 'CohereLabs/c4ai-command-r-v01',
    marks: ['<|START_OF_TURN_TOKEN|>', '<|SYSTEM_TOKEN|>', '<BOS_TOKEN>', '<EOS_TOKEN>'],
  },
  {
    family: 'Granite',
    source: 'ibm-granite/granite-3.3-8b-instruct',
    marks: ['<|start_of_role|>', '<|end_of_role|>', '<|end_of_text|>'],
  },
  {
    family: 'Nemotron',
    source: 'nvidia/NVIDIA-Nemotron-Nano-9B-v2',
    marks: ['<SPECIAL_10>', '<SPECIAL_11>', '<SPECIAL_12>', '<TOOLCALL>', '<TOOL_RESPONSE>', '<extra_id_0>'],
  },
  {
    family: 'MiniMax',
    source: 'MiniMaxAI/MiniMax-M2',
    marks: [']~!b[', ']~b]', '[e~[', '<minimax:tool_call>'],
  },
  {
    family: 'Seed',
    source: 'ByteDance-Seed/Seed-OSS-36B-Instruct',
    marks: ['<seed:bos>', '<seed:eos>', '<seed:think>', '</seed:think>', '<seed:tool_call>'],
  },
  {
    family: 'EXAONE',
    source: 'LGAI-EXAONE/EXAONE-3.5-7.8B-Instruct',
    marks: ['[|system|]', '[|user|]', '[|assistant|]', '[|endofturn|]'],
  },
  {
    family: 'Ling and Ring',
    source: 'inclusionAI/Ling-flash-2.0',
    marks: ['<role>', '</role>', '<|role_end|>'],
  },
  {
    family: 'Baichuan',
    source: 'baichuan-inc/Baichuan2-7B-Chat',
    marks: ['<reserved_106>', '<reserved_107>'],
  },
];
